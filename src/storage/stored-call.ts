/** One call as it is kept: a row for each field, with its check. Types, the stored form and what the statechart keeps all follow from these. */
import { data, flag, oneOf, optional, shape, text, yes, type Check, type ValuesOf } from '../base/checks.js';
import { cardStatus, id, name, names, publishedResult, shownCall, source, values } from '../model/calls.js';

/** What was asked for: a call has these from its first moment, and asks for them again on another page. Its arguments are `params`. */
export const requestFields = {
  requestId: id,
  toolName: name,
  raw: text(),
  flags: names,
  /** The notation it was written in. */
  protocol: name,
  /** What the service calls it, under `native`. */
  providerId: optional(id),
  /** What some services want back with the call, unread. */
  signature: optional(text()),
  /** A person runs a call again that failed, with other arguments: this is that call. Such a call asks in any case. */
  repeats: optional(id),
  /** Its tool is to do what that of this call could not (`fallback`). Not the model's own. */
  standsInFor: optional(id),
  /** Not a tool of the page: the service itself waits for a person's word, and is told under this id. */
  approval: optional(shape<{ id: string; reason?: string; keep?: object }>({ id, reason: optional(text()), keep: optional(data) })),
};

/** What the check of a call finds out about its tool; kept with the call. */
const factFields = {
  /** Of the tool's schema when the call was made: the same name may be another tool on the next page. */
  fingerprint: optional(id),
  /** The tool said that running it again does no harm. To be asked again of the tool that is there now. */
  rerun: optional(flag),
  /** Some of its arguments are not stored (`sensitive`): it cannot be asked for again. */
  withheld: optional(flag),
  /** Whatever its tool answers is outside content. */
  tainted: optional(flag),
};

/** An approval is not among them: nobody is asked to trust a stored one. */
export const callFields = {
  ...requestFields,
  ...factFields,
  messageId: id,
  params: values,
  status: cardStatus,
  /** The tool was started: its effect may have happened. */
  started: flag,
  /** The word by which a person allowed it, as it was written. */
  word: optional(text(1000)),
  /** Made by the host's `executeToolManually`: not part of what the model said. */
  manual: flag,
  /** Made and run by the service: shown, never executed or told here. */
  served: optional(yes),
  /** The model is shown how to write it (`on-broken-call`: `repair`). */
  repair: optional(yes),
  /** The outside content that its reply follows. */
  taintedBy: optional(source),
  /** Its arguments before a person changed them. */
  original: optional(values),
  /** It failed so, and a person decides whether it runs once more. Of a stored one, nobody knows whether it runs again already. */
  failed: optional(publishedResult),
  /** The user declined it; it failed, but may have had its effect, or may still have it; its tool found out that it did not happen; an undo began. */
  fate: optional(oneOf('declined', 'at-work', 'not-done', 'maybe-undone')),
  /** What a person can do about its result. */
  advice: optional(text()),
  call: optional(shownCall),
  result: optional(publishedResult),
  /** Of the plan: what it is for. */
  step: optional(id),
  /** Its result came out of a file: it cannot be undone here. */
  keepsEffect: optional(yes),
};

export type RequestedCall = ValuesOf<typeof requestFields>;
export type CallFacts = ValuesOf<typeof factFields>;
export type StoredCall = ValuesOf<typeof callFields>;

export const storedCall = shape(callFields) as Check<StoredCall>;

/** What was asked for, of a call at any time. */
export const requestedOf = (stored: StoredCall): RequestedCall =>
  Object.fromEntries(Object.entries(stored).filter(([field]) => Object.hasOwn(requestFields, field))) as RequestedCall;
