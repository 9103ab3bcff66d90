/** The table of options: everything that is known of an option follows from its one row. */
import { expect } from 'chai';
import { createLog } from '../../src/base/logging.js';
import { readSettings } from '../../src/conversation/options/read-settings.js';
import { attributeOf, elementTable, settingsTable } from '../../src/conversation/options/option-table.js';
import { attributes, optionNames, propertyOf } from '../../src/elements/tool-chat/attributes.js';

describe('the table of options', () => {
  it('has the options that the launcher knows by name, each with its attribute', () => {
    const names = [...Object.keys(settingsTable), ...Object.keys(elementTable), 'logger'];
    expect([...optionNames].sort()).to.deep.equal(names.sort());
    expect(attributes).to.deep.equal(optionNames.map(attributeOf));
    expect(attributes.map(propertyOf)).to.deep.equal(optionNames);
  });
});

describe('settings', () => {
  const log = createLog({ level: 'off' });
  const read = (options: object) => {
    const { fetch, ...settings } = readSettings(options, log);
    return { ...settings, hasFetch: typeof fetch };
  };

  it('are unset by undefined and null, each of them', () => {
    for (const name of [...Object.keys(settingsTable), 'preset', 'toolCallConfig', 'limits', 'lang', 'texts'])
      for (const nothing of [undefined, null]) expect(read({ [name]: nothing }), name).to.deep.equal(read({}));
  });

  it('of a preset count where the host unsets them', () => {
    expect(read({ preset: 'semi-auto', approval: null, maxIterations: 3 })).to.include({ approval: 'user-run', maxIterations: 3 });
  });
});
