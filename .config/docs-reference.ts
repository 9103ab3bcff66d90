/** Pages of the documentation that are made: what `<tool-chat>` has, out of its manifest, and one page for each error code. */

interface Named {
  name: string;
  description?: string;
  default?: string;
  type?: { text: string };
}
interface Member extends Named {
  kind: 'field' | 'method';
  parameters?: (Named & { optional?: boolean })[];
  return?: { type: { text: string } };
}
interface Declaration {
  tagName?: string;
  attributes: Named[];
  members: Member[];
  events: Named[];
  slots: Named[];
  cssParts: Named[];
  cssProperties: Named[];
  cssStates: Named[];
}

/** @returns path within the site, and Markdown */
export function referencePages(manifest: unknown): [string, string][] {
  const { modules } = manifest as { modules: { declarations?: Declaration[] }[] };
  const element = modules.flatMap(({ declarations = [] }) => declarations).find(({ tagName }) => tagName === 'tool-chat');
  if (!element) throw new Error('custom-elements.json has no tool-chat: run npm run manifest.');
  return [
    ['reference/attributes.md', attributes(element.attributes)],
    ['reference/methods.md', methods(element.members)],
    ['reference/events.md', events(element.events)],
    ['reference/styling.md', styling(element)],
  ];
}

/** `## CODE` sections of one page, each as a page of its own. */
export function errorPages(text: string): [string, string][] {
  const [, ...sections] = text.split(/^## /m);
  return sections.map((section) => {
    const code = section.slice(0, section.indexOf('\n'));
    const body = section.slice(code.length).replaceAll(/\]\((?!http)([^)]+)\)/g, '](../$1)');
    return [`codes/${code}.md`, `# ${code}\n${body}\n[All codes](../error-codes.md)\n`];
  });
}

/** A value to show an attribute with: one that can be seen, and is not its default. */
const SHOWN: Record<string, string> = {
  approval: 'always',
  'approval-ui': 'dialog',
  attachments: 'off',
  heading: 'Ask our shop',
  lang: 'zh-CN',
  layout: 'floating',
  placeholder: 'Ask about our shop',
  planning: 'threshold',
  position: 'start',
  preset: 'cutie-xml',
  protocol: 'json-tool-calls',
  settings: 'on',
  theme: 'dark',
  'tool-picker': 'on',
  tools: 'off',
};

function attributes(rows: Named[]): string {
  const parts = rows.map(({ name, description = '', type, default: preset }) => {
    const value = Object.hasOwn(SHOWN, name) ? SHOWN[name] : undefined;
    return [
      `## ${name}`,
      description,
      `Values: \`${type?.text ?? 'string'}\`${preset === undefined ? '' : `. Default: \`${preset}\``}. Property: \`${camel(name)}\`.`,
      ...(value === undefined
        ? []
        : [fence('html', `<tool-chat endpoint="/api/ai/chat/stream" ${name}="${value}"></tool-chat>`), live({ [name]: value })]),
    ].join('\n\n');
  });
  return page(
    'Attributes',
    'Each attribute is also a property, and can be set in `config`. Several have an example that runs on this page, with a scripted model: press _Try it_.',
    parts,
  );
}

function methods(members: Member[]): string {
  const part = (member: Member) =>
    [`## ${member.name}`, fence('ts', signature(member)), member.description ?? ''].filter((line) => line !== '').join('\n\n');
  return page(
    'Properties and methods',
    'In JavaScript: `const chat = document.querySelector("tool-chat")`. Attributes are properties, too.',
    members.map(part),
  );
}

function signature({ name, kind, type, parameters = [], return: result }: Member): string {
  if (kind === 'field') return `chat.${name}: ${type?.text ?? 'unknown'}`;
  const listed = parameters.map((one) => `${one.name}${one.optional ? '?' : ''}: ${one.type?.text ?? 'unknown'}`);
  return `chat.${name}(${listed.join(', ')}): ${result?.type.text ?? 'void'}`;
}

function events(rows: Named[]): string {
  const parts = rows.map(({ name, description = '' }) =>
    [`## ${name}`, description, fence('js', `chat.addEventListener('${name}', (event) => console.log(event));`)].join('\n\n'),
  );
  return page(
    'Events',
    `Events bubble and cross shadow roots. The example lists them as they are dispatched.\n\n${live({}, 'events')}`,
    parts,
  );
}

function styling({ slots, cssParts, cssProperties, cssStates }: Declaration): string {
  const table = (rows: Named[], quoted: (name: string) => string) =>
    [
      '| Name | Meaning |',
      '| --- | --- |',
      ...rows.map(
        ({ name, description = '', default: preset }) =>
          `| ${quoted(name)} | ${cell(description)}${preset ? ` Default: \`${cell(preset)}\`.` : ''} |`,
      ),
    ].join('\n');
  const code = (name: string) => `\`${name}\``;
  return page('Parts, slots, properties, states', 'How to use them: [Theming](../theming.md).', [
    `## CSS properties\n\n${table(cssProperties, code)}\n\n${live({ style: '--tool-chat-accent: #b8410c; --tool-chat-radius: 2px' })}`,
    `## Parts\n\n\`tool-chat::part(NAME)\`.\n\n${table(cssParts, code)}`,
    `## Slots\n\n${table(slots, code)}`,
    `## States\n\n\`tool-chat:state(NAME)\`.\n\n${table(cssStates, code)}`,
  ]);
}

const page = (title: string, lead: string, parts: string[]) => `---\noutline: 2\n---\n\n# ${title}\n\n${lead}\n\n${parts.join('\n\n')}\n`;
const fence = (language: string, source: string) => `\`\`\`${language}\n${source}\n\`\`\``;
const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** An example that runs where it stands. */
const live = (set: Record<string, string>, show = '') =>
  `<TryIt query="${new URLSearchParams({ ...set, ...(show && { show }) }).toString().replaceAll('&', '&amp;')}" />`;
