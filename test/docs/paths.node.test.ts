/** Files that the documentation names, so that nobody looks for one that was moved. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import terms from '../fixtures/old-terms.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `/src/${file.replaceAll('\\', '/')}`);

const isThere = (name: string) => sources.some((file) => file.endsWith(`/${name.replace(/^src\//, '')}`));

/** `terms`: words that were, and what is said instead. Names in code keep theirs. */
const old = new RegExp(String.raw`(?<![\w-])(?:${Object.keys(terms).join('|')})(?![\w-])`, 'gi');
/** Prose alone: no code, no addresses, no names of chapters that are codes. */
const oldTerms = (text: string) =>
  text
    .replaceAll(/^(`{3,})[^]*?^\1$/gm, '')
    .replaceAll(/`+[^`\n]*`+|\]\([^)]*\)|<[^>\n]*>|^\[\w+\]: .*$|^## [a-z-]+$/gm, '')
    .match(old) ?? [];

describe('the documentation', () => {
  const pages = readdirSync(`${root}docs`).filter((file) => file.endsWith('.md') && file !== 'requirements.md');

  for (const page of pages)
    it(`names in ${page} only files of the source that are there`, () => {
      const named = [...readFileSync(`${root}docs/${page}`, 'utf8').matchAll(/`((?:src\/|[\w-]+\/)*[\w-]+\.ts)`/g)].map(
        ([, name = '']) => name,
      );
      expect(named.filter((name) => !name.startsWith('test/') && !name.startsWith('demo/') && !isThere(name))).to.deep.equal([]);
    });

  it('uses the words of today', () => {
    // These two are about the code, where old names live on; the third quotes what was asked for.
    const inCode = ['architecture.md', 'design.md', 'requirements.md'];
    const later = ['hands.md', 'security.md', 'bring-your-api.md', 'frameworks.md']; // rewritten with what they describe
    const texts = ['guides', 'stacks', '.'].flatMap((folder) =>
      readdirSync(`${root}docs/${folder}`)
        .filter((file) => file.endsWith('.md') && ![...inCode, ...later].includes(file))
        .map((file) => `docs/${folder}/${file}`),
    );
    const found = [...texts, 'README.md', 'SECURITY.md'].map((file) => [file, oldTerms(readFileSync(root + file, 'utf8'))] as const);
    expect(found.filter(([, terms]) => terms.length > 0)).to.deep.equal([]);
    expect(oldTerms('A hand, a grant and `grants`\n\n```js\nanew\n```\n[x](hands.md) and colour-blind')).to.deep.equal(['hand', 'grant']);
  });
});
