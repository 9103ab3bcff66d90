/** Asks a person what a server wants to know, in a dialog of its own: who asks stands above, and nothing is sent but by a press of a real button. */
import { isObject, own } from '../base/objects.js';
import type { Words } from '../toolkits/toolkit-words.js';
import type { McpAnswer, McpQuestion } from './connect-mcp.js';

const CSS = `
:host { all: initial; color-scheme: light dark; }
dialog { box-sizing: border-box; width: min(30rem, 100vw - 24px); max-height: 86dvh; padding: 1.25rem; border: 1px solid light-dark(#d3d4da, #41444d);
  border-radius: 14px; overflow: auto; background: light-dark(#fff, #1c1d21); color: light-dark(#1c1d21, #ededf0); font: 15px/1.5 system-ui, sans-serif; }
dialog::backdrop { background: rgb(12 13 20 / 52%); }
h2, p, label > span { unicode-bidi: plaintext; }
h2 { margin: 0 0 .5rem; font-size: 1.1em; }
p { margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.small { font-size: .87em; color: light-dark(#61646e, #a3a6b1); }
label { display: block; margin-block: .75rem; }
label > span { display: block; }
input:not([type=checkbox]), select { box-sizing: border-box; width: 100%; min-height: 44px; padding: .4rem .6rem; border: 1px solid light-dark(#82858f, #7a7e8a);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; }
option { background: light-dark(#fff, #1c1d21); }
input[type=checkbox] { width: 20px; height: 20px; margin: 12px 6px 12px 0; vertical-align: middle; }
footer { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: flex-end; margin-top: 1rem; }
button { min-height: 44px; padding: 0 1rem; border: 1px solid light-dark(#82858f, #7a7e8a); border-radius: 8px; background: transparent; color: inherit; font: inherit; }
button.primary { border-color: transparent; background: light-dark(#1c1d21, #ededf0); color: light-dark(#fff, #151619); }
:focus-visible { outline: 2px solid light-dark(#3454d1, #9db2ff); outline-offset: 2px; }
`;

interface FormField {
  row: HTMLElement;
  /** Undefined for what is left empty. */
  read(): unknown;
}

/** Escape, and the end of the call, cancel. */
export function askInDialog(question: McpQuestion, words: Words, signal?: AbortSignal): Promise<McpAnswer> {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS);
  root.adoptedStyleSheets = [sheet];
  const dialog = make('dialog');
  const form = make('form');
  form.method = 'dialog';
  const { url } = question;
  // A server may call itself as it likes.
  const server = question.server === question.host ? question.host : `${question.server} (${question.host})`;
  const title = make('h2', url === undefined ? words.asks(server) : words.asksUrl(server, new URL(url).host));
  title.id = 'title';
  dialog.setAttribute('aria-labelledby', 'title');
  const fields = url === undefined ? fieldsOf(question.schema) : new Map<string, FormField>();
  const hint = make('p', url ?? words.noSecrets);
  hint.className = 'small';
  form.append(title, make('p', question.message), hint, ...[...fields.values()].map(({ row }) => row));

  return new Promise((resolve) => {
    const end = (answer: McpAnswer) => {
      host.remove();
      resolve(answer);
    };
    const button = (text: string, kind: 'submit' | 'button', press: () => void) => {
      const made = make('button', text);
      made.type = kind;
      made.addEventListener('click', (event) => {
        if (event.isTrusted) press();
      });
      return made;
    };
    const accept = button(url === undefined ? words.send : words.open, 'button', () => {
      if (!form.reportValidity()) return;
      if (url !== undefined) open(url, '_blank', 'noopener,noreferrer');
      const given = [...fields].flatMap(([name, { read }]) => {
        const value = read();
        return value === undefined ? [] : [[name, value] as const];
      });
      end({ action: 'accept', content: Object.fromEntries(given) });
    });
    accept.className = 'primary';
    const footer = make('footer');
    footer.append(
      button(words.dontSend, 'button', () => {
        end({ action: 'decline' });
      }),
      accept,
    );
    form.append(footer);
    form.addEventListener('submit', (event) => {
      // Enter in a field, which is a press of "Send".
      event.preventDefault();
      if (event.isTrusted) accept.focus();
    });
    dialog.addEventListener('cancel', (event) => {
      event.stopPropagation();
      end({ action: 'cancel' });
    });
    signal?.addEventListener('abort', () => {
      end({ action: 'cancel' });
    });
    dialog.append(form);
    root.append(dialog);
    document.body.append(host);
    if (signal?.aborted) end({ action: 'cancel' });
    else dialog.showModal();
  });
}

function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function fieldsOf(schema: Readonly<Record<string, unknown>>): Map<string, FormField> {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  const found = new Map<string, FormField>();
  for (const [name, property] of isObject(properties) ? Object.entries(properties) : [])
    found.set(name, fieldOf(name, isObject(property) ? property : {}, Array.isArray(required) && required.includes(name)));
  return found;
}

const TYPES: Record<string, string> = { email: 'email', date: 'date', uri: 'url' };

function fieldOf(name: string, property: Record<string, unknown>, required: boolean): FormField {
  const [type, format, values, title, description] = ['type', 'format', 'enum', 'title', 'description'].map((key) => own(property, key));
  const row = make('label');
  const isNumber = type === 'number' || type === 'integer';
  const label = make('span', `${typeof title === 'string' ? title : name}${required ? ' *' : ''}`);
  const words = make('span', typeof description === 'string' ? description : '');
  words.className = 'small';
  const standard = own(property, 'default');
  if (Array.isArray(values)) {
    const select = make('select');
    select.required = required;
    select.append(make('option'), ...values.map((value) => make('option', String(value))));
    select.value = typeof standard === 'string' ? standard : '';
    row.append(label, select, words);
    return { row, read: () => values.find((value) => String(value) === select.value) as unknown };
  }
  const input = make('input');
  input.type = type === 'boolean' ? 'checkbox' : isNumber ? 'number' : (TYPES[String(format)] ?? 'text');
  input.required = required && type !== 'boolean';
  input.checked = standard === true;
  input.value = ['string', 'number'].includes(typeof standard) ? String(standard) : type === 'boolean' ? 'on' : '';
  if (isNumber) input.step = type === 'integer' ? '1' : 'any';
  for (const [key, field] of Object.entries({ minimum: 'min', maximum: 'max', minLength: 'minlength', maxLength: 'maxlength' })) {
    const bound = own(property, key);
    if (typeof bound === 'number') input.setAttribute(field, String(bound));
  }
  row.append(...(type === 'boolean' ? [input, ' ', label, words] : [label, input, words]));
  if (type === 'boolean') label.style.display = 'inline';
  return {
    row,
    read: () => (type === 'boolean' ? input.checked : input.value === '' ? undefined : isNumber ? input.valueAsNumber : input.value),
  };
}
