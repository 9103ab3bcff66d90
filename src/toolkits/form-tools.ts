/** Turns forms of the page into tools by two attributes: a model may fill in what the user could. */
import { ToolError } from '../base/errors.js';
import { own } from '../base/objects.js';
import { createLog } from '../base/logging.js';
import type { Logger } from '../base/log.js';
import type { Change, Risk } from '../model/calls.js';
import { oneSentence, shorter, uniqueName } from '../tools/tool-naming.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import {
  controlsOf,
  controlValueOf,
  formFieldsOf,
  formPart,
  markDraft,
  setControlValue,
  fillFields,
  sentBesides,
  notifyControls,
  type FormField,
  type SentField,
} from './form-controls.js';
import { draftsOf, type FormDrafts } from './form-drafts.js';
import { toolkitTextsFor, type ToolkitTexts } from './toolkit-texts.js';

export interface FormOptions {
  /** Sends the form in the page's own way; its return value is the result. Default: the form is submitted as by its button. */
  submit?: (form: HTMLFormElement, data: FormData) => unknown;
  /** Language of the texts that its tools show to the user. Default: the page's. */
  lang?: string;
  /** The logger. Default: the console. */
  logger?: Logger;
}

/** Milliseconds that the user has to check the filled-in form and to send it. */
const SUBMIT_TIMEOUT_MS = 600_000;
/** Maximum number of calls whose cards are remembered. */
const KEPT = 100;
const MASK = '•••';

const read = (form: HTMLFormElement, ...names: string[]): string =>
  names.map((name) => formPart(form, 'getAttribute')(name)?.trim()).find(Boolean) ?? '';

/**
 * Creates a tool for each `<form tool-name="…" tool-description="…">` below `root`, and for forms with the attributes of WebMCP (`toolname`
 * …). A call asks for approval with the changes it would make; then the form is filled in and sent. With `tool-submit="person"`, or
 * WebMCP's `toolname` without `toolautosubmit`, it is filled in and the user sends it. `tool-risk` declares the risk of sending. Never
 * throws: an unsuitable form is left out with a warning.
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
    const fits = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) && uniqueName(name, taken) === name;
    if (fits && description) return [toolOf(form, name, description, options)];
    const why = fits ? 'it has no `tool-description`' : 'its name is taken, or is no name such as "book_table"';
    log.warn('form.left_out', `The form "${shorter(name, 80)}" is no tool: ${why}.`);
    return [];
  });
}

function toolOf(form: HTMLFormElement, name: string, description: string, options: FormOptions): ToolDefinition {
  const fields = formFieldsOf(form);
  const sheet = draftsOf(form);
  const words = toolkitTextsFor(options.lang);
  const byPerson = formPart(form, 'hasAttribute')('tool-name')
    ? read(form, 'tool-submit') === 'person'
    : !formPart(form, 'hasAttribute')('toolautosubmit');
  const said = read(form, 'tool-risk');
  // A form that the user sends is only filled in, so it needs no approval of its own.
  const risk = (['query', 'write', 'danger'].includes(said) ? said : byPerson ? 'write' : undefined) as Risk | undefined;
  const label = oneSentence(
    read(form, 'tool-title', 'aria-label') || formPart(form, 'querySelector')('legend, h1, h2, h3')?.textContent,
    60,
  );
  const button = submitterOf(form)?.textContent?.trim() ?? '';
  /** The other fields of the form as shown on the card, by call. */
  const shown = new Map<string, string>();
  return {
    ...{ name, description: shorter(description, 500), parameters: parametersOf(fields) },
    ...(risk && { risk }),
    ...(label && { label }),
    ...(button &&
      button.length <= 40 &&
      button !== words.dontSendForm &&
      !byPerson && { verbs: { allow: button, deny: words.dontSendForm } }),
    ...(byPerson && { timeout: SUBMIT_TIMEOUT_MS }),
    preview(args, { requestId }) {
      const changes = sheet.bare(() => previewOf(form, fields, args));
      // The user sees the form before sending it.
      if (byPerson) return changes;
      const besides = sheet.bare(() => sentBesides(form, args));
      shown.set(requestId, comparable(besides));
      const [oldest] = shown.keys();
      if (shown.size > KEPT && oldest !== undefined) shown.delete(oldest);
      return [...changes, ...besides.map(({ label, value }) => ({ label: words.alsoSent(label), after: value ?? MASK }))];
    },
    onArguments: (args, context) => draft(form, args, context, words),
    execute(args, context) {
      const said = shown.get(context.requestId);
      shown.delete(context.requestId);
      return run({ form, sheet, words, byPerson, options, said }, args, context);
    },
  };
}

/** Serializes fields for comparison, without private values, which no card has shown. */
const comparable = (besides: readonly SentField[]): string => JSON.stringify(besides.filter(({ value }) => value !== undefined));

/** Serializes the fields that the user can fill in and the call does not. Totals and the like are read-only. */
const otherValues = (form: HTMLFormElement, args: Record<string, unknown>): string =>
  JSON.stringify(
    [...controlsOf(form)].flatMap(([name, held]) => (own(args, name) === undefined ? [[name, controlValueOf(held) ?? '']] : [])),
  );

const submitterOf = (form: HTMLFormElement): HTMLElement | undefined =>
  [...formPart(form, 'elements')].find((element): element is HTMLElement => element.matches('button:not([type]), [type=submit]'));

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
 * Returns an `onArguments` function for the page's own tools: it shows the arguments so far in the form as a marked draft, and restores the
 * old values when the call is refused, ends or runs. Parameters are the names of the fields; unknown names are ignored.
 *
 * @param lang language of the sentence with which a waiting call ends if the user sends the form. Default: the page's
 */
export const draftInto =
  (form: HTMLFormElement, lang?: string) =>
  (args: Record<string, unknown>, context?: ToolContext): (() => void) =>
    draft(form, args, context, toolkitTextsFor(lang));

function draft(form: HTMLFormElement, args: Record<string, unknown>, context: ToolContext | undefined, words: ToolkitTexts): () => void {
  // Reporting this ends the waiting call.
  const onSentByHand = () => context?.progress({ fraction: 1, message: words.formByHand });
  return draftsOf(form).draft(context?.requestId ?? {}, args, onSentByHand, context?.signal);
}

interface Running {
  form: HTMLFormElement;
  sheet: FormDrafts;
  words: ToolkitTexts;
  byPerson: boolean;
  options: FormOptions;
  /** The other fields of the form as shown on the card. */
  said: string | undefined;
}

async function run(running: Running, args: Record<string, unknown>, { requestId, signal, progress }: ToolContext): Promise<unknown> {
  const { form, sheet, words, byPerson } = running;
  const gone = () => new ToolError(words.formGone, { code: 'EXECUTION_FAILED' });
  if (!formPart(form, 'isConnected')) throw gone();
  // The user has already sent the form, so "Allow" must not send it again.
  if (sheet.wasSentByHand(requestId)) throw new ToolError(words.formByHand, { code: 'CANCELLED' });
  if (!sheet.isFree()) {
    if (!byPerson) throw new ToolError(words.formInUse, { code: 'EXECUTION_FAILED' });
    progress({ message: words.formWaits });
    // Another waiting call may take the form first.
    while (!sheet.isFree()) {
      await sheet.whenFree(signal);
      if (signal.aborted) throw new ToolError(words.formDropped, { code: 'CANCELLED' });
      if (!formPart(form, 'isConnected')) throw gone();
    }
  }
  const giveBack = sheet.take(byPerson ? 'person' : 'call');
  signal.addEventListener('abort', giveBack);
  try {
    return await fillIn(running, args, signal, progress);
  } finally {
    giveBack();
  }
}

async function fillIn(
  { form, words, byPerson, options, said }: Running,
  args: Record<string, unknown>,
  signal: AbortSignal,
  progress: ToolContext['progress'],
): Promise<unknown> {
  if (said !== undefined && comparable(sentBesides(form, args)) !== said)
    throw new ToolError(words.formChanged, { code: 'EXECUTION_FAILED' });
  const controls = controlsOf(form);
  const names = Object.keys(args);
  const touched = names.map((name) => controls.get(name) ?? []);
  let refused: string | undefined;
  const putBack = fillFields(touched, () => {
    refused = names.find((name, at) => !setControlValue(touched[at] ?? [], own(args, name)));
  });
  const fail = (message: string, code: 'EXECUTION_FAILED' | 'INVALID_PARAMETER' | 'CANCELLED'): ToolError => {
    // Restore always: a model's value to which the user has added a character is not the user's own value.
    putBack(true);
    touched.forEach(notifyControls);
    return new ToolError(message, { code });
  };
  if (refused !== undefined) throw fail(words.fieldRefused(refused), 'INVALID_PARAMETER');
  const others = otherValues(form, args);
  touched.forEach(notifyControls);
  // The page may react to the events by removing the form or changing other fields, whose values the card has shown.
  if (!formPart(form, 'isConnected')) throw fail(words.formGone, 'EXECUTION_FAILED');
  if (!byPerson && otherValues(form, args) !== others) throw fail(words.formChanged, 'EXECUTION_FAILED');
  const wrong = [...formPart(form, 'elements')].find((element) => 'validity' in element && !(element as HTMLInputElement).validity.valid);
  if (wrong && !byPerson) {
    const { name, validationMessage } = wrong as HTMLInputElement;
    throw fail(`${words.fieldRefused(name)} ${validationMessage}`.trim(), 'INVALID_PARAMETER');
  }
  if (byPerson) {
    progress({ message: words.formFilled });
    return waitForUser(form, touched, words, fail, signal);
  }
  // The button's own name, value and address belong to what the user has allowed by its text.
  const button = submitterOf(form);
  if (options.submit) return options.submit(form, new FormData(form, button));
  const events: Event[] = [];
  const listener = (event: Event) => void events.push(event);
  formPart(form, 'addEventListener')('submit', listener, { capture: true, once: true });
  formPart(form, 'requestSubmit')(button);
  formPart(form, 'removeEventListener')('submit', listener, { capture: true });
  return { success: true, message: endOf(words, events[0]) };
}

/**
 * Returns the message after a submit. A page that prevents the default either sends the form itself or refuses it; these cannot be told
 * apart.
 */
const endOf = (words: ToolkitTexts, submit: Event | undefined): string =>
  submit?.defaultPrevented === false ? words.formSent : words.formHandled;

/**
 * Keeps the filled-in fields marked until the user sends or resets the form, or the call ends. The focus does not move: a key press meant
 * for another element could send the form.
 */
function waitForUser(
  form: HTMLFormElement,
  touched: Parameters<typeof markDraft>[0],
  words: ToolkitTexts,
  fail: (message: string, code: 'EXECUTION_FAILED' | 'CANCELLED') => ToolError,
  signal: AbortSignal,
): Promise<unknown> {
  const unmark = markDraft(touched);
  const ended = new AbortController();
  formPart(form, 'scrollIntoView')({ block: 'nearest' });
  return new Promise<unknown>((resolve, reject) => {
    const on = { signal: ended.signal };
    const listen = formPart(form, 'addEventListener');
    const onSubmit = (event: Event) => {
      ended.abort();
      // Let the page's own listeners run first.
      setTimeout(() => resolve({ success: true, message: endOf(words, event) }));
    };
    listen('submit', onSubmit, { ...on, capture: true });
    listen('reset', () => reject(new ToolError(words.formDropped, { code: 'CANCELLED' })), on);
    signal.addEventListener('abort', () => reject(fail(words.formDropped, 'CANCELLED')), on);
    const watch = new MutationObserver(() => {
      if (!formPart(form, 'isConnected')) reject(new ToolError(words.formGone, { code: 'EXECUTION_FAILED' }));
    });
    watch.observe(formPart(form, 'ownerDocument'), { childList: true, subtree: true });
    on.signal.addEventListener('abort', () => {
      watch.disconnect();
    });
  }).finally(() => {
    unmark();
    ended.abort();
  });
}
