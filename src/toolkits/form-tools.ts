/** Forms of the page as tools: two attributes, and what a person would fill in is what a model may ask for. */
import { ToolError } from '../base/errors.js';
import { own } from '../base/objects.js';
import { createLog } from '../base/logging.js';
import type { Logger } from '../base/log.js';
import type { Change, Risk } from '../model/calls.js';
import { oneSentence, shorter, takeName } from '../tools/foreign-tools.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import {
  controlsOf,
  formFieldsOf,
  markDraft,
  putIn,
  putOver,
  sentBesides,
  tell,
  controlValueOf,
  type FormField,
  type SentField,
} from './form-controls.js';
import { toolkitWordsFor, type Words } from './toolkit-words.js';

export interface FormOptions {
  /** Sends the form in the page's own way; what it gives is the result. Default: the form is submitted as by its button. */
  submit?: (form: HTMLFormElement, data: FormData) => unknown;
  /** Language of what its tools say to people. Default: the page's. */
  lang?: string;
  /** Default: the console. */
  logger?: Logger;
}

/** Milliseconds that a person has to read what was filled in, and to send it. */
const PATIENCE = 600_000;
/** Calls whose cards are remembered. */
const KEPT = 100;
const MASK = '•••';

const read = (element: Element, ...names: string[]): string => names.map((name) => element.getAttribute(name)?.trim()).find(Boolean) ?? '';

/**
 * A tool for each `<form tool-name="…" tool-description="…">` below `root`, also for forms with the attributes of WebMCP (`toolname` …). A call
 * asks, with what would change; allowed, it is filled in and sent. With `tool-submit="person"`, or WebMCP's `toolname` without `toolautosubmit`,
 * it is filled in and a person sends it. `tool-risk` says what sending it does. Never throws: a form that can be no tool is left out, with a warning.
 *
 * @param root default: the document
 */
export function formTools(root?: ParentNode, options: FormOptions = {}): ToolDefinition[] {
  const log = createLog({ level: 'warn', ...(options.logger && { logger: options.logger }) });
  const page = root ?? (typeof document === 'undefined' ? undefined : document);
  const taken = new Map<string, number>();
  const forms = page ? [...page.querySelectorAll<HTMLFormElement>('form[tool-name], form[toolname]')] : [];
  return forms.flatMap((form) => {
    const name = read(form, 'tool-name', 'toolname');
    const description = read(form, 'tool-description', 'tooldescription');
    const fits = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) && takeName(name, taken) === name;
    if (fits && description) return [toolOf(form, name, description, options)];
    const why = fits ? 'it has no `tool-description`' : 'its name is taken, or is no name such as "book_table"';
    log.warn('form.left_out', `The form "${shorter(name, 80)}" is no tool: ${why}.`);
    return [];
  });
}

function toolOf(form: HTMLFormElement, name: string, description: string, options: FormOptions): ToolDefinition {
  const fields = formFieldsOf(form);
  const words = toolkitWordsFor(options.lang);
  const byPerson = form.hasAttribute('tool-name') ? read(form, 'tool-submit') === 'person' : !form.hasAttribute('toolautosubmit');
  const said = read(form, 'tool-risk');
  // What a person sends has no card of its own: it is only filled in.
  const risk = (['query', 'write', 'danger'].includes(said) ? said : byPerson ? 'write' : undefined) as Risk | undefined;
  const label = oneSentence(read(form, 'tool-title', 'aria-label') || form.querySelector('legend, h1, h2, h3')?.textContent, 60);
  const button = submitterOf(form)?.textContent?.trim() ?? '';
  /** What a card said of the rest of the form, by call. */
  const shown = new Map<string, string>();
  return {
    ...{ name, description: shorter(description, 500), parameters: parametersOf(fields) },
    ...(risk && { risk }),
    ...(label && { label }),
    ...(button &&
      button.length <= 40 &&
      button !== words.dontSendForm &&
      !byPerson && { verbs: { allow: button, deny: words.dontSendForm } }),
    ...(byPerson && { timeout: PATIENCE }),
    preview(args, { requestId }) {
      const changes = previewOf(form, fields, args);
      // What a person sends, a person has seen.
      if (byPerson) return changes;
      const besides = sentBesides(form, args);
      shown.set(requestId, comparable(besides));
      const [oldest] = shown.keys();
      if (shown.size > KEPT && oldest !== undefined) shown.delete(oldest);
      return [...changes, ...besides.map(({ label, value }) => ({ label: words.alsoSent(label), after: value ?? MASK }))];
    },
    onArguments: (args, { requestId }) => draft(form, args, requestId),
    execute(args, context) {
      const said = shown.get(context.requestId);
      shown.delete(context.requestId);
      return run({ form, words, byPerson, options, said }, args, context);
    },
  };
}

/** A private value is not compared: no card has shown it. */
const comparable = (besides: readonly SentField[]): string => JSON.stringify(besides.filter(({ value }) => value !== undefined));

/** Somebody may be typing. */
function isWriting(): boolean {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active?.matches('input, textarea, select, [contenteditable]') === true;
}

const submitterOf = (form: HTMLFormElement): HTMLElement | undefined =>
  [...form.elements].find((element): element is HTMLElement => element.matches('button:not([type]), [type=submit]'));

function parametersOf(fields: readonly FormField[]) {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, label, schema }) => [name, { title: label, ...schema }])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function previewOf(form: HTMLFormElement, fields: readonly FormField[], args: Record<string, unknown>): Change[] {
  const controls = controlsOf(form);
  return fields.flatMap(({ name, label }) => {
    const [after, held] = [own(args, name), controls.get(name)];
    if (after === undefined || !held) return [];
    const before = controlValueOf(held);
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ label, before, after, ...(held[0] && { target: held[0] }) }];
  });
}

/**
 * For `onArguments` of a tool of the page's own: what is written so far stands in the form as a draft, marked, and what was there is put back
 * exactly when the call is refused, ends or runs. Parameters are the names of the fields; what the form does not have is left out.
 */
export const draftInto =
  (form: HTMLFormElement) =>
  (args: Record<string, unknown>): (() => void) =>
    draft(form, args, '');

/** The call whose draft a person has sent by the button of the form itself. */
const sentByHand = new WeakMap<HTMLFormElement, string>();

/** Shown in the form, while nothing is decided: without events, so that the page does not act on it. */
function draft(form: HTMLFormElement, args: Record<string, unknown>, requestId: string): () => void {
  const touched = [...controlsOf(form)].filter(([name]) => own(args, name) !== undefined);
  const controls = touched.map(([, each]) => each);
  const putBack = putOver(controls, () => {
    for (const [name, each] of touched) putIn(each, own(args, name));
  });
  const unmark = markDraft(controls);
  const sent = () => void sentByHand.set(form, requestId);
  form.addEventListener('submit', sent);
  return () => {
    form.removeEventListener('submit', sent);
    unmark();
    putBack();
  };
}

interface Running {
  form: HTMLFormElement;
  words: Words;
  byPerson: boolean;
  options: FormOptions;
  /** What the card said of the rest of the form. */
  said: string | undefined;
}

async function run(
  { form, words, byPerson, options, said }: Running,
  args: Record<string, unknown>,
  { requestId, signal }: ToolContext,
): Promise<unknown> {
  if (!form.isConnected) throw new ToolError(words.formGone, { code: 'EXECUTION_FAILED' });
  // It is not sent once more for a press of "allow".
  if (requestId !== '' && sentByHand.get(form) === requestId) return { success: true, message: words.formSent };
  if (said !== undefined && comparable(sentBesides(form, args)) !== said)
    throw new ToolError(words.formChanged, { code: 'EXECUTION_FAILED' });
  const controls = controlsOf(form);
  const names = Object.keys(args);
  const touched = names.map((name) => controls.get(name) ?? []);
  let refused: string | undefined;
  const putBack = putOver(touched, () => {
    refused = names.find((name, at) => !putIn(touched[at] ?? [], own(args, name)));
  });
  const fail = (message: string, code: 'EXECUTION_FAILED' | 'INVALID_PARAMETER' | 'CANCELLED'): ToolError => {
    putBack();
    touched.forEach(tell);
    return new ToolError(message, { code });
  };
  if (refused !== undefined) throw fail(words.fieldRefused(refused), 'INVALID_PARAMETER');
  touched.forEach(tell);
  // A page may have taken the form away, or put something else in, on being told.
  if (!form.isConnected) throw fail(words.formGone, 'EXECUTION_FAILED');
  const wrong = [...form.elements].find((element) => 'validity' in element && !(element as HTMLInputElement).validity.valid);
  if (wrong && !byPerson) {
    const { name, validationMessage } = wrong as HTMLInputElement;
    throw fail(`${words.fieldRefused(name)} ${validationMessage}`.trim(), 'INVALID_PARAMETER');
  }
  if (byPerson) return waitForPerson(form, touched, words, fail, signal);
  if (options.submit) return options.submit(form, new FormData(form));
  form.requestSubmit();
  return { success: true, message: words.formSent };
}

/** What is filled in is marked until somebody sends it, empties it, or the call ends. */
function waitForPerson(
  form: HTMLFormElement,
  touched: Parameters<typeof markDraft>[0],
  words: Words,
  fail: (message: string, code: 'EXECUTION_FAILED' | 'CANCELLED') => ToolError,
  signal: AbortSignal,
): Promise<unknown> {
  const unmark = markDraft(touched);
  const ended = new AbortController();
  form.scrollIntoView({ block: 'nearest' });
  // Never the button that sends it: a key that is meant for another place would press it.
  const [first] = [...touched].flat();
  if (!isWriting()) first?.focus();
  return new Promise<unknown>((resolve, reject) => {
    const on = { signal: ended.signal };
    form.addEventListener('submit', () => resolve({ success: true, message: words.formSent }), on);
    form.addEventListener('reset', () => reject(new ToolError(words.formDropped, { code: 'CANCELLED' })), on);
    signal.addEventListener('abort', () => reject(fail(words.formDropped, 'CANCELLED')), on);
    const watch = new MutationObserver(() => {
      if (!form.isConnected) reject(new ToolError(words.formGone, { code: 'EXECUTION_FAILED' }));
    });
    watch.observe(form.ownerDocument, { childList: true, subtree: true });
    on.signal.addEventListener('abort', () => {
      watch.disconnect();
    });
  }).finally(() => {
    unmark();
    ended.abort();
  });
}
