import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { attributeOf, elementTable, settingsTable, type Option } from '../../src/conversation/options/option-table.js';
// @ts-expect-error A script of a page, which has no types.
import * as page from '../../demo/playground-options.js';
// @ts-expect-error A script of a page, which has no types.
import { optionWords } from '../../demo/playground-option-words.js';

interface PageOption {
  name: string;
  kind: 'choice' | 'number' | 'flag' | 'text';
  values: string[];
  initial: string;
  description: string;
  group: string;
}
interface Link {
  set: Map<string, string>;
  proposed: Map<string, string>;
  ignored: string[];
}
const { optionsOf, readLink, snippetOf, isAddress } = page as {
  optionsOf(manifest: unknown): PageOption[];
  readLink(hash: string, options: PageOption[]): Link;
  snippetOf(chosen: Map<string, string>, options: PageOption[], more: { tools: object[]; key?: string }): string;
  isAddress(text: string): boolean;
};
const words = optionWords as Record<string, string>;

const manifest: unknown = JSON.parse(readFileSync(new URL('../../custom-elements.json', import.meta.url), 'utf8'));
const options = optionsOf(manifest);
const table = Object.entries<Option<unknown>>({ ...settingsTable, ...elementTable }).filter(([, { attribute }]) => attribute !== 'none');

describe('playground: options', () => {
  it('has every attribute of the option table, with its values and a sentence in both languages', () => {
    expect(
      options.map(({ name }) => name),
      'npm run manifest',
    ).to.have.members(table.map(([name]) => attributeOf(name)));
    for (const [name, { values, digits }] of table) {
      const option = options.find((each) => each.name === attributeOf(name))!;
      expect(option.values, name).to.deep.equal(values ?? []);
      if (digits) expect(option.kind, name).to.equal('number');
      expect(option.description, name).to.not.equal('');
      expect(words, 'demo/playground-option-words.js')
        .to.have.property(option.name)
        .that.matches(/\p{Script=Han}/u);
    }
    expect(Object.keys(words)).to.have.members(options.map(({ name }) => name));
  });
});

describe('playground: links', () => {
  it('only proposes where data would go, and no address that is none of the web', () => {
    const { set, proposed, ignored } = readLink(
      '#endpoint=https%3A%2F%2Fevil.example%2Fv1&mcp=javascript:alert(1)&help-url=https://me:you@evil.example&session-id=demo&sandbox-url=//evil.example',
      options,
    );
    expect(set.size).to.equal(0);
    expect([...proposed.keys()]).to.deep.equal(['endpoint', 'session-id']);
    expect(ignored).to.deep.equal(['mcp', 'help-url', 'sandbox-url']);
    expect(['https://a.example', 'http://localhost:1/x'].every(isAddress)).to.equal(true);
    expect(['data:text/html,x', 'blob:https://a', 'file:///etc', 'x', ''].some(isAddress)).to.equal(false);
  });

  it('survives any link, and sets nothing that no attribute has', () => {
    const names = new Set(options.map(({ name }) => name));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (hash) => {
        const { set } = readLink(hash, options);
        for (const name of set.keys()) if (!names.has(name)) throw new Error(`${name} was set`);
      }),
    );
    expect(readLink(`#heading=${'x'.repeat(100_000)}`, options)).to.have.deep.property('ignored', ['#']);
  });
});

describe('playground: the lines to copy', () => {
  const tools = [{ name: 'add_item', description: 'Adds </script>', risk: 'write', parameters: { type: 'object', properties: {} } }];

  it('stay one attribute and one script, whatever a text holds, and have no key', () => {
    const snippet = snippetOf(new Map([['heading', '"><script>alert(1)</script>&']]), options, { tools, key: 'x-api-key' });
    expect(snippet).to.include('heading="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"');
    expect(snippet.match(/<\/script>/g)).to.have.length(2);
    expect(snippet).to.include("chat.headers = () => ({ 'x-api-key': '…' });");
  });
});
