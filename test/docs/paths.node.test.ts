/** Files that the documentation names, so that nobody looks for one that was moved. */
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => `/src/${file.replaceAll('\\', '/')}`);

const isThere = (name: string) => sources.some((file) => file.endsWith(`/${name.replace(/^src\//, '')}`));

describe('the documentation', () => {
  const pages = readdirSync(`${root}docs`).filter((file) => file.endsWith('.md') && file !== 'requirements.md');

  for (const page of pages)
    it(`names in ${page} only files of the source that are there`, () => {
      const named = [...readFileSync(`${root}docs/${page}`, 'utf8').matchAll(/`((?:src\/|[\w-]+\/)*[\w-]+\.ts)`/g)].map(
        ([, name = '']) => name,
      );
      expect(named.filter((name) => !name.startsWith('test/') && !name.startsWith('demo/') && !isThere(name))).to.deep.equal([]);
    });

  it('would be caught naming another', () => {
    expect(isThere('conversation/attic.ts')).to.equal(false);
  });
});
