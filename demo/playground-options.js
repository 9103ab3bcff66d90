/**
 * Every attribute of the widget as the playground has it: read out of `custom-elements.json`, so that a new one is there by itself; what
 * a link may set; and the lines to copy. No page is needed for any of it.
 */

/** Which attributes stand together; what is named nowhere stands under `more`. */
export const groups = {
  connection: 'endpoint wire protocol stream model models max-tokens temperature context-size token-budget constrain mcp sandbox-url',
  asking: 'approval rehearse approval-ui confirm-via on-deny tools tool-picker',
  turn: 'calls-per-turn dispatch after-call execution accept parse-mode coercion on-broken-call result-loop result-role',
  mind: 'system-prompt prompt-injection planning memory orchestration',
  keeping: 'session-id storage',
  limits: 'max-iterations repeat-limit tool-timeout request-timeout heartbeat block-timeout max-accumulator degrade',
  look: 'layout position open theme lang heading placeholder quick-commands composer-while-busy attachments settings',
  more: 'inspect help-url feedback-url log-level',
};

const groupOf = (name) => Object.keys(groups).find((group) => groups[group].split(' ').includes(name)) ?? 'more';

/** The list of attributes: `{name, kind, values, initial, description, group}`; `kind` is `choice`, `number`, `flag` or `text`. */
export function optionsOf(manifest) {
  const chat = manifest.modules.flatMap(({ declarations = [] }) => declarations).find(({ tagName }) => tagName === 'tool-chat');
  return chat.attributes.map(({ name, type, default: initial = '', description = '' }) => {
    const values = [...(type?.text ?? '').matchAll(/'([^']*)'/g)].map(([, value]) => value);
    const kind = values.length > 0 ? 'choice' : type?.text === 'number' ? 'number' : type?.text === 'boolean' ? 'flag' : 'text';
    return { name, kind, values, initial, description, group: groupOf(name) };
  });
}

/** Options that decide where data goes, what is loaded, or whose conversation is read: a link may only propose these. */
const SENSITIVE = new Set(['endpoint', 'mcp', 'sandbox-url', 'feedback-url', 'help-url', 'session-id']);

const MAX_LINK = 8000;
const MAX_TEXT = 2000;

/** An address of the web, without a name and password in it. */
export function isAddress(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  return !!url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function fits({ name, kind, values }, value) {
  if (kind === 'choice') return values.includes(value);
  if (kind === 'number') return /^\d{1,10}(?:\.\d{1,6})?$/.test(value);
  if (kind === 'flag') return value === '';
  if (value === '' || value.length > MAX_TEXT || /[^\P{Cc}\n\r\t]|[\u202a-\u202e\u2066-\u2069]/u.test(value)) return false;
  return name === 'session-id' || !SENSITIVE.has(name) || isAddress(value);
}

/**
 * Reads what a link has behind its `#`. Gives `set`, a map of attributes that fit; `proposed`, of those that a person has to agree to;
 * and `ignored`, the names of everything else. Names are looked up in a map and values are texts: nothing of it is run or parsed as markup.
 */
export function readLink(hash, options) {
  const known = new Map(options.map((option) => [option.name, option]));
  const found = { set: new Map(), proposed: new Map(), ignored: [] };
  const text = hash.replace(/^[#?]/, '');
  if (text.length > MAX_LINK) return { ...found, ignored: ['#'] };
  for (const [name, value] of new URLSearchParams(text)) {
    const option = known.get(name);
    if (!option || found.set.has(name) || found.proposed.has(name) || !fits(option, value)) found.ignored.push(name.slice(0, 40));
    else (SENSITIVE.has(name) ? found.proposed : found.set).set(name, value);
  }
  return found;
}

/** Returns the chosen options for the fragment of a link. Sensitive ones never get into a link. */
export function writeLink(chosen) {
  const kept = [...chosen].filter(([name]) => !SENSITIVE.has(name));
  return new URLSearchParams(kept).toString();
}

const SIGNS = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', '\n': '&#10;' };
const escaped = (text) => text.replace(/[&"<>\n]/g, (sign) => SIGNS[sign]);

/** The two elements to copy; what is as it is by default is left out. A preset has defaults of its own, so beside one all that is chosen stays. */
export function snippetOf(chosen, options, { tools, key, last = [] }) {
  const preset = chosen.get('preset') ?? 'balanced';
  const attributes = [...options]
    .sort((one, other) => Number(last.includes(one.name)) - Number(last.includes(other.name)))
    .filter(({ name, initial }) => chosen.has(name) && (chosen.get(name) !== initial || (preset !== 'balanced' && name !== 'preset')))
    .map(({ name, kind }) => (kind === 'flag' ? name : `${name}="${escaped(chosen.get(name))}"`));
  const short = attributes.join(' ').length < 60;
  const inTag = attributes.map((attribute) => (short ? ` ${attribute}` : `\n  ${attribute}`)).join('');
  return [
    '<script type="module" src="/tool-chat.js"></script>',
    `<tool-chat${inTag}${short ? '' : '\n'}></tool-chat>`,
    '<script>',
    '  (window.toolChat ??= []).push((chat) => {',
    ...(key ? [`    chat.headers = () => ({ '${key}': '…' });`] : []),
    ...tools.flatMap(({ name, description, risk, parameters }) => [
      '    chat.registerTool({',
      `      name: ${inScript(name)},`,
      `      description: ${inScript(description)},`,
      `      risk: ${inScript(risk)},`,
      `      parameters: ${inScript(parameters)},`,
      `      execute: async (args) => ({ success: true, message: 'Done.' }),`,
      '    });',
    ]),
    '  });',
    '</script>',
  ].join('\n');
}

/** A value as a script has it, which cannot end the element around it. */
const inScript = (value) => JSON.stringify(value).replaceAll('<', '\\u003c');
