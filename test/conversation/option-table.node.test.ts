/** The table of options: everything that is known of an option follows from its one row. */
import { expect } from 'chai';
import { attributeOf, elementTable, settingsTable } from '../../src/conversation/options/option-table.js';
import { attributes, optionNames, propertyOf } from '../../src/elements/tool-chat/attributes.js';

describe('the table of options', () => {
  it('has the options that the launcher knows by name, each with its attribute', () => {
    const names = [...Object.keys(settingsTable), ...Object.keys(elementTable), 'logger'];
    expect([...optionNames].sort(), 'names in src/elements/tool-chat/attributes.ts').to.deep.equal(names.sort());
    expect(attributes).to.deep.equal(optionNames.map(attributeOf));
    expect(attributes.map(propertyOf)).to.deep.equal(optionNames);
  });
});
