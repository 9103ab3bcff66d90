/** The colors and sizes that style sheets share. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(`src/${file}`, 'utf8') }))
  .filter(({ text }) => text.includes('--_'));
const names = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Names of our own that no sheet defines. */
const unknown = (text: string, defined: ReadonlySet<string>) => names(text, /var\((--_[\w-]+)/g).filter((name) => !defined.has(name));

it('style sheets use no variable of ours that is defined nowhere: it would be nothing, and nobody would see why', () => {
  const defined = new Set(sheets.flatMap(({ text }) => names(text, /(--_[\w-]+)(?::|', )/g)));
  expect(sheets.length).to.be.above(10);
  for (const { file, text } of sheets) expect(unknown(text, defined), file).to.deep.equal([]);
  expect(unknown('color: var(--_bad); background: var(--_danger)', defined), 'one would be found').to.deep.equal(['--_danger']);
});
