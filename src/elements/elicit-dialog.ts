/**
 * Asks the user for the data that an MCP server requests. The title names the host, which is a fact; all text of the server is displayed
 * below as a quotation. The buttons act like those of an approval: only by a real press, after they have been still and uncovered for half
 * a second.
 */
import { serverQuestionStrings } from '../i18n/server-question.js';
import type { McpAnswer, McpQuestion } from '../mcp/mcp-options.js';
import { ClickGuard } from './click-guard.js';
import { guardPresses } from './decisions.js';
import { createFields, make, type FormField } from './elicit-fields.js';
import { ownDirection } from './page-language.js';
import { createSheet } from '../base/style-sheets.js';

const CSS = `
:host { all: initial; color-scheme: light dark; }
dialog { box-sizing: border-box; width: min(480px, 100vw - 24px); max-height: 86dvh; padding: 20px; border: 1px solid light-dark(#d3d4da, #41444d);
  border-radius: 14px; overflow: auto; background: light-dark(#fff, #1c1d21); color: light-dark(#1c1d21, #ededf0); font: 15px/1.5 system-ui, sans-serif; }
dialog::backdrop { background: rgb(12 13 20 / 52%); }
h2, p, label, legend { unicode-bidi: plaintext; }
h2 { margin: 0 0 8px; font-size: 1.1em; overflow-wrap: anywhere; }
p { margin: 0 0 16px; white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote { margin: 0 0 16px; padding-inline-start: 12px; border-inline-start: 3px solid light-dark(#d3d4da, #41444d); }
blockquote p { margin: 0 0 8px; }
.small { font-size: .87em; color: light-dark(#61646e, #a3a6b1); }
.field { margin-block: 12px; }
.field p { margin: 2px 0 0; }
label, legend { display: block; }
fieldset { margin: 0; padding: 0; border: 0; }
input:not([type=checkbox]), select { box-sizing: border-box; width: 100%; min-height: 44px; padding: 6.4px 9.6px; border: 1px solid light-dark(#82858f, #7a7e8a);
  border-radius: 8px; background: transparent; color: inherit; font: inherit; }
option { background: light-dark(#fff, #1c1d21); }
label:has([type=checkbox]) { display: flex; align-items: center; min-height: 44px; }
input[type=checkbox] { flex: none; width: 20px; height: 20px; margin: 0; margin-inline-end: 8px; }
[role=status]:empty { display: none; }
footer { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; margin-top: 16px; }
button { min-height: 44px; padding: 0 16px; border: 1px solid light-dark(#82858f, #7a7e8a); border-radius: 8px; background: transparent; color: inherit; font: inherit; }
button[aria-disabled=true] { opacity: .65; }
button.primary { border-color: transparent; background: light-dark(#1c1d21, #ededf0); color: light-dark(#fff, #151619); }
:focus-visible { outline: 2px solid light-dark(#3454d1, #9db2ff); outline-offset: 2px; }
`;

export interface ElicitOptions {
  /** Default: the language of the page. */
  lang?: string | undefined;
  /** Aborting it cancels the dialog, like Escape. */
  signal?: AbortSignal | undefined;
  /** Origins that may frame the page without disabling the dialog. */
  framedBy?: readonly string[];
}

/** Hosts that the user has blocked. Their requests are declined until the page is left. */
const stopped = new Set<string>();

export function askInDialog(question: McpQuestion, { lang, signal, framedBy = [] }: ElicitOptions = {}): Promise<McpAnswer> {
  if (stopped.has(question.host)) return Promise.resolve({ action: 'decline' });
  const strings = serverQuestionStrings(lang);
  const { host, root, dialog, form, title, status, footer, fields } = createDialog(question, strings, lang);
  const { url } = question;

  return new Promise((resolve) => {
    const end = (answer: McpAnswer) => {
      clickGuard.stop();
      host.remove();
      resolve(answer);
    };
    const handlers = new Map<HTMLElement, () => void>();
    const button = (text: string, act: () => void) => {
      const element = make('button', text);
      element.type = 'button';
      handlers.set(element, act);
      footer.append(element);
      return element;
    };
    button(strings.stop, () => {
      stopped.add(question.host);
      end({ action: 'decline' });
    });
    button(strings.dontSend, () => end({ action: 'decline' }));
    const accept = button(url === undefined ? strings.send : strings.open, () => {
      if (!form.reportValidity()) return;
      if (url !== undefined) open(url, '_blank', 'noopener,noreferrer');
      end({ action: 'accept', content: valuesOf(fields) });
    });
    accept.className = 'primary';
    const buttons = [...handlers.keys()];
    const clickGuard = new ClickGuard({
      ...{ card: dialog, actions: footer, buttons, framedBy },
      facts: () => [title],
      changed() {
        for (const one of buttons) one.ariaDisabled = String(clickGuard.readiness !== 'armed');
      },
      cannotAsk: (why) => (status.textContent = why && strings[why]),
      // The dialog is already in the top layer.
      lift: () => false,
    });
    for (const one of buttons) one.ariaDisabled = 'true';
    guardPresses(root, {
      buttons,
      ready: () => clickGuard.check(),
      act: (pressed) => clickGuard.check() && handlers.get(pressed)?.(),
    });
    form.addEventListener('submit', (event) => {
      // Enter in a field only moves the focus to "Send", which the user then presses.
      event.preventDefault();
      if (event.isTrusted) accept.focus();
    });
    dialog.addEventListener('cancel', (event) => {
      event.stopPropagation();
      end({ action: 'cancel' });
    });
    signal?.addEventListener('abort', () => end({ action: 'cancel' }));
    document.body.append(host);
    if (signal?.aborted) return end({ action: 'cancel' });
    dialog.showModal();
    clickGuard.start();
  });
}

/** Creates the dialog with the question and its fields. */
function createDialog(question: McpQuestion, strings: ReturnType<typeof serverQuestionStrings>, lang: string | undefined) {
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [createSheet(CSS)];
  const dialog = make('dialog');
  dialog.dir = ownDirection(document.documentElement, lang || document.documentElement.lang);
  const form = make('form');
  form.method = 'dialog';
  const { server, url } = question;
  const title = make('h2', url === undefined ? strings.asks(question.host) : strings.asksUrl(question.host, new URL(url).host));
  title.id = 'title';
  dialog.setAttribute('aria-labelledby', 'title');
  const messageBox = make('blockquote');
  const labeledText = (label: string, text: string) => {
    const small = make('p', label);
    small.className = 'small';
    messageBox.append(small, make('p', text));
  };
  if (server !== question.host) labeledText(strings.callsItself, server);
  labeledText(strings.says, question.message);
  const fields = url === undefined ? createFields(question.schema, strings) : new Map<string, FormField>();
  const hint = make('p', url ?? strings.noSecrets);
  hint.className = 'small';
  // Without a field, the focus would start on a button.
  if (fields.size === 0) {
    title.tabIndex = -1;
    title.autofocus = true;
  }
  const status = make('p');
  status.setAttribute('role', 'status');
  const footer = make('footer');
  form.append(title, messageBox, hint, ...[...fields.values()].map(({ row }) => row), status, footer);
  dialog.append(form);
  root.append(dialog);
  return { host, root, dialog, form, title, status, footer, fields };
}

function valuesOf(fields: ReturnType<typeof createFields>) {
  return Object.fromEntries(
    [...fields].flatMap(([name, { read }]) => {
      const value = read();
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
