/**
 * Updates the last column of docs/requirements.md: the tests that name a row. With `--check` it only reports differences. A row that is
 * named in `src/` or `test/` and stands in no table is refused either way.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { namedRows } from './named-rows.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}docs/requirements.md`;
const before = readFileSync(file, 'utf8');
const ROW = /^\| ([SXY]\d?-\d+) \|(.*) \|[^|]*\|$/gm;
const rows = new Set(Array.from(before.matchAll(ROW), ([, row]) => row));

const tests = new Map();
const unknown = [];
for (const name of [...sources('src'), ...sources('test')])
  for (const row of namedRows(readFileSync(root + name, 'utf8'))) {
    if (!rows.has(row)) unknown.push(`${name}: ${row} stands in no table of docs/requirements.md.`);
    if (/\.(test|e2e)\.ts$/.test(name)) tests.set(row, [...(tests.get(row) ?? []), `\`${name.slice('test/'.length)}\``]);
  }

const after = before.replace(ROW, (_, row, sentence) => `| ${row} |${sentence} | ${(tests.get(row) ?? ['–']).join(' ')} |`);
const wrong = process.argv.includes('--check') && after !== before;
if (wrong) unknown.push('docs/requirements.md does not name the tests there are: `npm run requirements` updates it.');
else if (after !== before) writeFileSync(file, after);
for (const each of unknown) console.error(each);
process.exit(unknown.length > 0 ? 1 : 0);

function sources(folder) {
  const names = readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
  return names.filter((name) => name.endsWith('.ts') && !/node_modules|\/fixtures\/|named-rows/.test(name)).sort();
}
