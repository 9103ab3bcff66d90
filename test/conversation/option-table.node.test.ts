/** The table of options: everything that is known of an option follows from its one row. */
import { expect } from 'chai';
import { attributeOf, elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
import { attributes, defaultOf, propertyOf, readOption } from '../../src/elements/tool-chat/attributes.js';

const table: Readonly<Record<string, Option<unknown>>> = { ...settingsTable, ...elementTable };

describe('the table of options', () => {
  it('is what the launcher says of its own options in few bytes', () => {
    const early = Object.entries(table).filter(([, { attribute }]) => attribute === 'launcher');
    expect([...attributes].sort()).to.deep.equal(early.map(([name]) => attributeOf(name)).sort());
    for (const [name, { initial, values }] of early) {
      const attribute = attributeOf(name);
      expect(propertyOf(attribute)).to.equal(name);
      expect(defaultOf(attribute), name).to.equal(initial);
      for (const value of values ?? []) expect(readOption(attribute, value), name).to.equal(value);
      if (values) expect(readOption(attribute, 'none of them')).to.equal(undefined);
    }
  });
});
