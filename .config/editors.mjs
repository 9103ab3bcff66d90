/**
 * What editors and readers that are no people take from us, made of `custom-elements.json` and the docs: HTML custom data for VS Code,
 * web-types for JetBrains, and `llms.txt`. Part of `npm run build`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (file) => readFileSync(root + file, 'utf8');

/** `'on'|'off'` → `['on', 'off']`; nothing for what is no list. */
const valuesOf = (type = '') => (/^'[^']*'(?:\|'[^']*')*$/.test(type) ? type.split('|').map((value) => value.slice(1, -1)) : []);
const told = (description) => (description ? { description } : {});
const listed = (entries = []) => entries.map(({ name, description }) => ({ name, ...told(description) }));

export function elementsOf(manifest) {
  return manifest.modules
    .flatMap((module) => module.declarations ?? [])
    .filter(({ tagName }) => tagName === 'tool-chat' || tagName === 'tool-chat-inspector');
}

/** https://github.com/microsoft/vscode-custom-data, version 1.1. */
export function htmlData(manifest) {
  const tags = elementsOf(manifest).map(({ tagName, description, attributes = [] }) => ({
    name: tagName,
    ...told(description),
    attributes: attributes.map(({ name, description: says, type, default: initial }) => {
      const values = valuesOf(type?.text);
      const words = initial === undefined ? says : `${says ?? ''}\n\nDefault: \`${initial}\``;
      return {
        name,
        ...told(words),
        ...(values.length > 0 && { values: values.map((value) => ({ name: value })) }),
        ...(type?.text === 'boolean' && { valueSet: 'v' }),
      };
    }),
  }));
  return { version: 1.1, tags };
}

/** https://github.com/JetBrains/web-types */
export function webTypes(manifest, { name, version }) {
  const elements = elementsOf(manifest).map((element) => {
    const { tagName, description, attributes = [], members = [], slots, events, cssParts, cssProperties } = element;
    const properties = members.filter(({ kind }) => kind === 'field');
    return {
      name: tagName,
      ...told(description),
      attributes: attributes.map(({ name: attribute, description: says, type, default: initial }) => ({
        name: attribute,
        ...told(says),
        ...(initial !== undefined && { default: initial }),
        value: { type: valuesOf(type?.text).length > 0 ? valuesOf(type.text).map((value) => `"${value}"`) : (type?.text ?? 'string') },
      })),
      slots: listed(slots),
      js: {
        events: listed(events),
        properties: properties.map(({ name: property, description: says, type, readonly }) => ({
          ...{ name: property, ...told(says), type: type?.text ?? 'unknown' },
          ...(readonly && { 'read-only': true }),
        })),
      },
      css: { parts: listed(cssParts), properties: listed(cssProperties) },
    };
  });
  const schema = 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json';
  return {
    $schema: schema,
    name,
    version,
    'js-types-syntax': 'typescript',
    'description-markup': 'markdown',
    contributions: { html: { elements } },
  };
}

/** The pages of the package with what each is for: its title, and its first sentence. */
export function llmsText({ description, files }) {
  const outside = new Set(files.filter((file) => file.startsWith('!docs/')).map((file) => file.slice(1)));
  const pages = (folder) =>
    readdirSync(root + folder)
      .filter((name) => name.endsWith('.md') && !outside.has(`${folder}/${name}`))
      .sort()
      .map((name) => line(`${folder}/${name}`));
  return `# tool-chat

> ${description}

Install \`tool-chat\`, \`import 'tool-chat/define'\`, and write \`<tool-chat endpoint="/api/chat">\`; or load \`dist/tool-chat.js\` by a script tag. A page
gives tools by \`(window.toolChat ??= []).push((chat) => chat.registerTool({ name, description, parameters, risk, execute }))\`. No method and no event
approves a call: the user does (human-in-the-loop), or the page's own \`decide\`. Any model works, local models too: it has tool calling without native
support. It also has dark mode, phone and right-to-left layouts, server rendering (SSR), a strict CSP, WebMCP, and is self-hosted. Every name is in custom-elements.json and dist/lib/types.d.ts.

## Start

- [README](../README.md): what it is, in a page
${pages('docs/guides').join('\n')}

## Stacks

${pages('docs/stacks').join('\n')}

## Reference

${pages('docs').join('\n')}
`;
}

function line(file) {
  const text = read(file).replace(/^---\n[^]*?\n---\n/, '');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  const first = text
    .slice(text.indexOf(title) + title.length)
    .trim()
    .replace(/^```[^]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .find((part) => /^[A-Za-z`*<[]/.test(part) && !part.startsWith('<script'));
  const sentence =
    /^[^]*?[.:](?= [A-Z]|$)/.exec((first ?? '').replace(/\s+/g, ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))?.[0].replace(/:$/, '.') ?? '';
  return `- [${title}](../${file})${sentence && `: ${sentence}`}`;
}

/** File to what it has to hold. */
export function editorFiles() {
  const manifest = JSON.parse(read('custom-elements.json'));
  const about = JSON.parse(read('package.json'));
  return {
    'dist/editors/html-custom-data.json': `${JSON.stringify(htmlData(manifest))}\n`,
    'dist/editors/web-types.json': `${JSON.stringify(webTypes(manifest, about))}\n`,
    'dist/llms.txt': llmsText(about),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(`${root}dist/editors`, { recursive: true });
  for (const [file, text] of Object.entries(editorFiles())) writeFileSync(root + file, text);
}
