/**
 * Manages the drafts that calls show in a form. Drafts belong to the form, across all conversations, and give way to the user: while the
 * user is in the form, it shows no draft and is not filled in.
 */
import { own } from '../base/objects.js';
import { controlsOf, formPart, markDraft, setControlValue, fillFields, notifyControls } from './form-controls.js';

type Args = Record<string, unknown>;

/** A call that may still await approval. */
interface Waiting {
  /** The draft's arguments; absent while the draft is removed. */
  args?: Args | undefined;
  onSentByHand: () => void;
}

export interface FormDrafts {
  /** Shows these arguments as long as nothing prevents it. Returns a function that removes them. */
  draft(call: object | string, args: Args, onSentByHand: () => void, signal?: AbortSignal): () => void;
  /** Reads the form without drafts. */
  bare<Read>(read: () => Read): Read;
  /** Returns true if the user is not in the form and no call is filling it in. */
  isFree(): boolean;
  /** Resolves when the form is free or gone, and when the signal is aborted. */
  whenFree(signal: AbortSignal): Promise<void>;
  /** Reserves the form, without drafts, until the returned function is called. Until then the user or the call submits it. */
  take(submits: 'person' | 'call'): () => void;
  /** Returns true if the form was submitted with its own button while this call waited. */
  wasSentByHand(requestId: string): boolean;
  refresh(): void;
}

const sheets = new WeakMap<HTMLFormElement, FormDrafts>();

export function draftsOf(form: HTMLFormElement): FormDrafts {
  const sheet = sheets.get(form) ?? createFormDrafts(form);
  sheets.set(form, sheet);
  watch(formPart(form, 'ownerDocument'));
  watch(form);
  return sheet;
}

function createFormDrafts(form: HTMLFormElement): FormDrafts {
  const waiting = new Map<object | string, Waiting>();
  const sentByHand = new Set<object | string>();
  const wake = new Set<() => void>();
  let taken: 'person' | 'call' | undefined;
  let shown: { fields: ReturnType<typeof fieldsOf>; putBack: () => void; unmark: () => void } | undefined;

  const isFree = () => !taken && !isUserIn(form);
  const fieldsOf = (drafts: readonly Args[]) =>
    [...controlsOf(form)]
      .filter(([name]) => drafts.some((args) => own(args, name) !== undefined))
      .map(([name, field]) => ({ name, field }));

  function hide() {
    shown?.unmark();
    shown?.putBack();
    shown = undefined;
  }

  /** Shows the drafts again. Fires no events, so that the page does not react to a draft. */
  function refresh() {
    hide();
    if (!isFree()) return;
    const drafts = [...waiting.values()].flatMap(({ args }) => (args ? [args] : []));
    const fields = fieldsOf(drafts);
    const controls = fields.map(({ field }) => field);
    const putBack = fillFields(controls, () => {
      for (const args of drafts)
        for (const { name, field } of fields) if (own(args, name) !== undefined) setControlValue(field, own(args, name));
    });
    if (fields.length > 0) shown = { fields, putBack, unmark: markDraft(controls) };
    for (const each of [...wake]) each();
  }

  /**
   * Handles a submit by the user: the drafts become real values, and none of these calls may submit them again. Submits during a call are
   * ignored, because the call may be submitting the form.
   */
  function noteSubmit() {
    if (taken === 'call') return;
    const fields = shown?.fields ?? [];
    shown?.unmark();
    shown = undefined;
    for (const { field } of fields) notifyControls(field);
    const ended = [...waiting].filter(([, { args }]) => args !== undefined || isUserIn(form));
    for (const [call] of ended) {
      waiting.delete(call);
      sentByHand.add(call);
    }
    // Let the page read the form first.
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
      // A draft may be removed and shown again while the call still waits.
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

// ——— Detecting whether the user is in the form

const listen = (target: EventTarget, type: string, listener: (event: Event) => void): void => {
  EventTarget.prototype.addEventListener.call(target, type, listener, true);
};

/** For each document, the form of the last real click or key press. Safari does not focus buttons and check boxes. */
const lastActed = new WeakMap<Document, HTMLFormElement | undefined>();
const watched = new WeakSet<EventTarget>();

/**
 * Listens on the form as well, because a closed shadow root cannot be looked into. `input` does not prove a user's action: it is also a
 * trusted event if a script clicks a check box.
 */
function watch(target: EventTarget): void {
  if (watched.has(target)) return;
  watched.add(target);
  for (const type of ['pointerdown', 'keydown', 'beforeinput', 'click', 'focusin']) listen(target, type, noteAct);
  listen(target, 'focusout', noteLeaving);
}

function isUserIn(form: HTMLFormElement): boolean {
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
  // A press of its own button submits the visible values, so keep the drafts then.
  if (form && !(path[0] as Element).closest('button, [type=submit], [type=image]')) sheets.get(form)?.refresh();
}

/** Waits, because nothing has the focus while it moves. A frame with the focus reports no keys. */
function noteLeaving(event: Event): void {
  const form = formOf(event.composedPath());
  if (!form) return;
  setTimeout(() => {
    const document = formPart(form, 'ownerDocument');
    if (document.activeElement?.matches('iframe')) lastActed.delete(document);
    sheets.get(form)?.refresh();
  });
}

/** Finds the form of the first element that has one, also for a control outside the form element. */
function formOf(path: readonly (EventTarget | null)[]): HTMLFormElement | undefined {
  for (const one of path) {
    if (one instanceof HTMLFormElement) return one;
    if (one instanceof Element && 'form' in one && one.form instanceof HTMLFormElement) return one.form;
  }
  return undefined;
}
