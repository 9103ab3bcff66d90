/** The table of options: everything that is known of an option follows from its one row. */
import { expect } from 'chai';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { optionRows } from '../../.config/option-rows.mjs';
import { attributeOf, elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
import { attributes, defaultOf, propertyOf, readOption } from '../../src/elements/tool-chat/attributes.js';

const table: Readonly<Record<string, Option<unknown>>> = { ...settingsTable, ...elementTable };
const root = fileURLToPath(new URL('../..', import.meta.url));
const source = () => readFileSync(`${root}src/conversation/options/option-table.ts`, 'utf8');

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

  it('has a sentence for each attribute', () => {
    for (const { name, attribute, description } of optionRows()) if (attribute) expect(description, name).to.match(/\w/);
  });

  it('holds every default among its values', () => {
    for (const [name, { initial, values, derive, fits }] of Object.entries(table)) {
      if (values && !derive) expect(values, name).to.include(initial);
      if (derive) expect(values, name).to.include(derive(() => undefined));
      if (fits && initial !== undefined) expect(fits(initial), name).to.equal(true);
    }
  });

  describe('with one row more', () => {
    const copy = `${root}node_modules/.cache/one-row-more/`;
    const row = "  /** How warm it sounds. */\n  warmth: choice('cool', 'warm'),\n";
    const more = () => source().replace('  /** When a person is asked; `user-run`', `${row}$&`);

    before(() => {
      rmSync(copy, { recursive: true, force: true });
      for (const name of ['src', 'package.json']) cpSync(root + name, copy + name, { recursive: true });
      writeFileSync(`${copy}src/conversation/options/option-table.ts`, more());
    });
    after(() => {
      rmSync(copy, { recursive: true, force: true });
    });

    it('has one option more: a setting with its default, an attribute, and what people read of it', async () => {
      const { defaultSettings, readSettings } = (await import(
        pathToFileURL(`${copy}src/conversation/options/read-settings.ts`).href
      )) as typeof import('../../src/conversation/options/read-settings.js');
      const log = { debug() {}, info() {}, warn() {}, error() {} } as never;
      expect(defaultSettings).to.have.property('warmth', 'cool');
      expect(readSettings({ warmth: 'warm' } as object, log)).to.have.property('warmth', 'warm');
      expect(optionRows(more()).find(({ name }) => name === 'warmth')).to.deep.equal({
        ...{ name: 'warmth', attribute: 'warmth', type: "'cool'|'warm'", default: 'cool', description: 'How warm it sounds.' },
      });
      expect(optionRows().some(({ name }) => name === 'warmth')).to.equal(false);
    });
  });
});
