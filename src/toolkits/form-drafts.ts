/**
 * What calls have put into a form. Drafts belong to the form, whichever conversations their calls are of, and give way to the person: while
 * somebody is in the form, it holds no draft and is not filled in.
 */
import { own } from '../base/objects.js';
import { controlsOf, formPart, markDraft, putIn, putOver, tell } from './form-controls.js';

type Args = Record<string, unknown>;

/** A call that may still be asked about. */
interface Waiting {
  /** Absent while its draft is taken back. */
  args?: Args | undefined;
  onSentByHand: () => void;
}

export interface FormSheet {
  /** Shows these arguments, as long as nothing else is in the way; gives the function that takes them back. */
  draft(call: object | string, args: Args, onSentByHand: () => void, signal?: AbortSignal): () => void;
  /** Reads the form without drafts. */
  bare<Read>(read: () => Read): Read;
  /** Nobody is in the form, and no call has filled it in. */
  isFree(): boolean;
  /** Resolves when the form is free or gone, and when the signal is aborted. */
  whenFree(signal: AbortSignal): Promise<void>;
  /** No drafts until it is given back. Until then the form is submitted by the person, or by the call. */
  take(submits: 'person' | 'call'): () => void;
  /** The form was submitted with its own button while this call waited. */
  wasSentByHand(requestId: string): boolean;
  refresh(): void;
}

const sheets = new WeakMap<HTMLFormElement, FormSheet>();

export function sheetOf(form: HTMLFormElement): FormSheet {
  const sheet = sheets.get(form) ?? createSheet(form);
  sheets.set(form, sheet);
  watch(formPart(form, 'ownerDocument'));
  watch(form);
  return sheet;
}

function createSheet(form: HTMLFormElement): FormSheet {
  const waiting = new Map<object | string, Waiting>();
  const sentByHand = new Set<object | string>();
  const wake = new Set<() => void>();
  let taken: 'person' | 'call' | undefined;
  let shown: { fields: ReturnType<typeof fieldsOf>; putBack: () => void; unmark: () => void } | undefined;

  const isFree = () => !taken && !isPersonIn(form);
  const fieldsOf = (drafts: readonly Args[]) =>
    [...controlsOf(form)]
      .filter(([name]) => drafts.some((args) => own(args, name) !== undefined))
      .map(([name, field]) => ({ name, field }));

  function hide() {
    shown?.unmark();
    shown?.putBack();
    shown = undefined;
  }

  /** Without events: the page does not act on a draft. */
  function refresh() {
    hide();
    if (!isFree()) return;
    const drafts = [...waiting.values()].flatMap(({ args }) => (args ? [args] : []));
    const fields = fieldsOf(drafts);
    const controls = fields.map(({ field }) => field);
    const putBack = putOver(controls, () => {
      for (const args of drafts) for (const { name, field } of fields) if (own(args, name) !== undefined) putIn(field, own(args, name));
    });
    if (fields.length > 0) shown = { fields, putBack, unmark: markDraft(controls) };
    for (const each of [...wake]) each();
  }

  /**
   * The person has sent what was in view: it is no draft any more, and none of these calls is to send it once more. Drafts are taken back
   * while another call runs, which may be what submits the form.
   */
  function noteSubmit() {
    if (taken === 'call') return;
    const fields = shown?.fields ?? [];
    shown?.unmark();
    shown = undefined;
    for (const { field } of fields) tell(field);
    const ended = [...waiting].filter(([, { args }]) => args !== undefined || isPersonIn(form));
    for (const [call] of ended) {
      waiting.delete(call);
      sentByHand.add(call);
    }
    // The page reads the form first.
    setTimeout(() => {
      for (const [, { onSentByHand }] of ended) onSentByHand();
    });
  }
  listen(form, 'submit', noteSubmit);

  return {
    isFree,
    refresh,
    draft(call, args, onSentByHand, signal) {
      if (sentByHand.has(call)) return () => undefined;
      const mine = waiting.get(call) ?? { onSentByHand };
      const drop = () => {
        if (waiting.get(call) === mine) waiting.delete(call);
      };
      // A draft is taken back now and then. The call waits on.
      if (!waiting.has(call)) signal?.addEventListener('abort', drop);
      waiting.set(call, mine);
      mine.args = args;
      refresh();
      return () => {
        if (mine.args !== args) return;
        delete mine.args;
        if (!signal) drop();
        if (shown) refresh();
      };
    },
    bare(read) {
      hide();
      try {
        return read();
      } finally {
        refresh();
      }
    },
    whenFree: (signal) =>
      new Promise((resolve) => {
        const document = formPart(form, 'ownerDocument');
        const look = () => {
          if (!signal.aborted && formPart(form, 'isConnected') && !isFree()) return;
          wake.delete(look);
          watching.disconnect();
          signal.removeEventListener('abort', look);
          resolve();
        };
        const watching = new MutationObserver(look);
        watching.observe(document, { childList: true, subtree: true });
        wake.add(look);
        signal.addEventListener('abort', look);
        look();
      }),
    take(submits) {
      hide();
      taken = submits;
      let isMine = true;
      return () => {
        if (!isMine) return;
        isMine = false;
        taken = undefined;
        refresh();
      };
    },
    wasSentByHand: (requestId) => sentByHand.has(requestId),
  };
}

// ——— Where the person is

const listen = (target: EventTarget, type: string, listener: (event: Event) => void): void => {
  EventTarget.prototype.addEventListener.call(target, type, listener, true);
};

/** By document: the form that the last real press or key went into. Safari gives buttons and boxes no focus. */
const lastActed = new WeakMap<Document, HTMLFormElement | undefined>();
const watched = new WeakSet<EventTarget>();

/**
 * A form hears for itself, too: a closed shadow root cannot be seen into. `input` is no sign of a person: a box that a script clicks says so,
 * too, as a real event.
 */
function watch(target: EventTarget): void {
  if (watched.has(target)) return;
  watched.add(target);
  for (const type of ['pointerdown', 'keydown', 'beforeinput', 'click', 'focusin']) listen(target, type, noteAct);
  listen(target, 'focusout', noteLeaving);
}

function isPersonIn(form: HTMLFormElement): boolean {
  const document = formPart(form, 'ownerDocument');
  if (lastActed.get(document) === form) return true;
  const root = formPart(form, 'getRootNode')() as Partial<DocumentOrShadowRoot>;
  const active = root.activeElement;
  return !!active && formOf([active, active.closest('form')]) === form;
}

function noteAct(event: Event): void {
  if (!event.isTrusted) return;
  const path = event.composedPath();
  const form = formOf(path);
  const document = path.find((one): one is Document => one instanceof Document);
  const before = document && lastActed.get(document);
  if (document && event.type !== 'focusin') lastActed.set(document, form);
  if (before && before !== form) sheets.get(before)?.refresh();
  // Its own button sends what is in view.
  if (form && !(path[0] as Element).closest('button, [type=submit], [type=image]')) sheets.get(form)?.refresh();
}

/** The focus is nowhere while it moves. A frame that has it tells of no keys. */
function noteLeaving(event: Event): void {
  const form = formOf(event.composedPath());
  if (!form) return;
  setTimeout(() => {
    const document = formPart(form, 'ownerDocument');
    if (document.activeElement?.matches('iframe')) lastActed.delete(document);
    sheets.get(form)?.refresh();
  });
}

/** Of a control, also one that is elsewhere in the page. */
function formOf(path: readonly (EventTarget | null)[]): HTMLFormElement | undefined {
  for (const one of path) {
    if (one instanceof HTMLFormElement) return one;
    if (one instanceof Element && 'form' in one && one.form instanceof HTMLFormElement) return one.form;
  }
  return undefined;
}
