/**
 * The rows of `src/conversation/options/option-table.ts`, as its source has them: name, attribute, type, default and comment. For the
 * manifest and for `docs/options.md`, which `node .config/option-rows.mjs` writes (`--check` only compares).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../', import.meta.url));

/** @returns {{ name: string; attribute?: string; type: string; default?: string; description: string }[]} */
export function optionRows(source = readFileSync(`${root}src/conversation/options/option-table.ts`, 'utf8')) {
  const file = ts.createSourceFile('option-table.ts', source, ts.ScriptTarget.Latest, true);
  return ['settingsTable', 'elementTable'].flatMap((name) => tableOf(file, name).properties.map((row) => rowOf(row, file)));
}

function tableOf(file, name) {
  for (const statement of file.statements)
    for (const { name: id, initializer } of statement.declarationList?.declarations ?? []) if (id.text === name) return unwrap(initializer);
  throw new Error(`There is no ${name}.`);
}

/** Without `as const` and `satisfies`. */
const unwrap = (node) => (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? unwrap(node.expression) : node);

function rowOf(row, file) {
  const name = row.name.text;
  const description = ts
    .getJSDocCommentsAndTags(row)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ');
  const { call, flag } = makerOf(row.initializer);
  const kind = call?.expression.text;
  const told = { name, description, attribute: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) };
  if (flag) return { ...told, type: 'boolean' };
  const [first] = call.arguments;
  switch (kind) {
    case 'choice':
    case 'derived': {
      const values = (kind === 'choice' ? [...call.arguments] : [...first.elements]).map(({ text }) => text);
      return { ...told, type: values.map((value) => `'${value}'`).join('|'), default: values[0] };
    }
    case 'count':
    case 'wait':
      return { ...told, type: 'number', default: first.getText(file).replaceAll('_', '') };
    case 'between':
      return { ...told, type: 'number' };
    case 'text':
      return { ...told, type: 'string', ...(first?.text && { default: first.text }) };
    default:
      return { name, description, type: call.typeArguments?.[0]?.getText(file).replace(/\s+/g, ' ') ?? 'object' };
  }
}

/** A row is what a function gives, with or without more beside it, or a flag written out. */
function makerOf(node) {
  if (ts.isCallExpression(node)) return { call: node };
  const spread = node.properties.find((each) => ts.isSpreadAssignment(each) && ts.isCallExpression(each.expression));
  return spread ? { call: spread.expression } : { flag: true };
}

const page = () => `# Options

Attributes of \`<tool-chat>\`. Each is also a property (\`max-tokens\` is \`maxTokens\`) and a field of \`config\`. The order of
precedence is: default < preset < \`config\` (its \`toolCallConfig\` over its other fields) < attribute or property, whichever was set last. \`undefined\`
and \`null\` unset an option. Before the chat is first shown or used, reading an option or \`config\` returns only values that were set. This page is made from
\`src/conversation/options/option-table.ts\` by \`npm run manifest\`.

| attribute | values | default | meaning |
| --- | --- | --- | --- |
${optionRows()
  .filter(({ attribute }) => attribute)
  .map(({ attribute, type, default: initial, description }) =>
    [
      '',
      `\`${attribute}\``,
      type.replaceAll('|', ' \\| '),
      initial === undefined ? '' : `\`${initial}\``,
      description.replaceAll('|', '\\|'),
      '',
    ]
      .join(' | ')
      .trim(),
  )
  .join('\n')}

Properties only: ${optionRows()
  .filter(({ attribute }) => !attribute)
  .map(({ name }) => `\`${name}\``)
  .join(', ')}.
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { format, resolveConfig } = await import('prettier');
  const file = `${root}docs/options.md`;
  const wanted = await format(page(), { ...(await resolveConfig(file)), filepath: file });
  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  else if (readFileSync(file, 'utf8') !== wanted) {
    console.error('docs/options.md is not what the table says: `npm run manifest` updates it.');
    process.exitCode = 1;
  }
}
