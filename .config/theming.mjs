/** Updates the tables of docs/theming.md from the manifest; `npm run manifest` ends with it. With `--check` it only reports differences. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}docs/theming.md`;
const { modules } = JSON.parse(readFileSync(`${root}custom-elements.json`, 'utf8'));
const chat = modules.flatMap(({ declarations }) => declarations).find(({ tagName }) => tagName === 'tool-chat');

const code = (text) => (text ? `\`${text}\`` : '');
const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
const tables = {
  properties: table(
    ['property', 'default', 'what for'],
    chat.cssProperties.map((each) => [code(each.name), code(each.default), each.description]),
  ),
  parts: table(
    ['part', 'what it is'],
    chat.cssParts.map((each) => [code(each.name), each.description]),
  ),
  slots: table(
    ['slot', 'what it takes'],
    chat.slots.map((each) => [code(each.name), each.description]),
  ),
};

const before = readFileSync(file, 'utf8');
const filled = before.replace(/(<!-- table: (\w+) -->\n+)(?:\|.*\n)*/g, (whole, mark, name) =>
  Object.hasOwn(tables, name) ? `${mark}${tables[name]}\n` : whole,
);
const after = await prettier.format(filled, { ...(await prettier.resolveConfig(file)), filepath: file });
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/theming.md is not what the manifest says: `npm run manifest` updates it.');
    process.exit(1);
  }
} else writeFileSync(file, after);
