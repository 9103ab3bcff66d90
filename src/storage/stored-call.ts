/** The saved fields of a call with their checks. The types, the stored form and the statechart's data derive from them. */
import { data, boolean, oneOf, optional, object, text, literalTrue, type Check, type ValuesOf } from '../base/checks.js';
import { cardStatus, id, name, names, publishedResult, shownCall, source, values } from '../model/calls.js';

/**
 * The request: fields that a call has from its first moment, and that are used to make it again on another page. Its arguments are
 * `params`.
 */
export const requestFields = {
  requestId: id,
  toolName: name,
  raw: text(),
  flags: names,
  /** The notation that the call was written in. */
  protocol: name,
  /** The provider's id of the call, under `native`. */
  providerId: optional(id),
  /** Opaque data that some providers require back with the call. */
  signature: optional(text()),
  /** The failed call that the user runs again by this one, with other arguments. Such a call always needs approval. */
  repeats: optional(id),
  /** The call that this one is a fallback for (`fallback`). The model did not make this one. */
  standsInFor: optional(id),
  /** Set if this is not a tool of the page: the provider waits for the user's approval, which is sent under this id. */
  approval: optional(object<{ id: string; reason?: string; keep?: object }>({ id, reason: optional(text()), keep: optional(data) })),
};

/** Facts about the tool that the check of a call finds; saved with the call. */
const factFields = {
  /** Fingerprint of the tool when the call was made: the same name may be another tool on the next page. */
  fingerprint: optional(id),
  /** True if the tool declared that running it again does no harm. Ask the current tool again. */
  rerun: optional(boolean),
  /** True if some arguments are not stored (`sensitive`): the call cannot be made again. */
  withheld: optional(boolean),
  /** True if every result of the tool is untrusted content. */
  tainted: optional(boolean),
};

/** The saved fields. There is no approval among them: a stored one must not be trusted. */
export const callFields = {
  ...requestFields,
  ...factFields,
  messageId: id,
  params: values,
  status: cardStatus,
  /** True if the tool was started: the call may have taken effect. */
  started: boolean,
  /** The confirmation word by which the user allowed the call, as written. */
  word: optional(text(1000)),
  /** True if the page's `executeToolManually` made the call: it is not part of the model's text. */
  manual: boolean,
  /** True if the provider made and ran the call: it is shown, but neither executed nor sent here. */
  served: optional(literalTrue),
  /** True if the model is shown how to write the call (`on-broken-call`: `repair`). */
  repair: optional(literalTrue),
  /** The untrusted content that its reply follows. */
  taintedBy: optional(source),
  /** The arguments before the user edited them. */
  original: optional(values),
  /**
   * The error of the failed run, while the user decides whether it runs once more. For a stored call, it is unknown whether it runs again
   * already.
   */
  failed: optional(publishedResult),
  /**
   * More on the outcome: the user declined it; it failed, but may still take effect; its tool found that it did not happen; an undo began.
   */
  fate: optional(oneOf('declined', 'at-work', 'not-done', 'maybe-undone')),
  /** A hint on what the user can do about the result. */
  advice: optional(text()),
  call: optional(shownCall),
  result: optional(publishedResult),
  /** Id of the plan step that the call is for. */
  step: optional(id),
  /** True if the result comes from an imported file: it cannot be undone here. */
  keepsEffect: optional(literalTrue),
};

export type RequestedCall = ValuesOf<typeof requestFields>;
export type CallFacts = ValuesOf<typeof factFields>;
export type StoredCall = ValuesOf<typeof callFields>;

export const storedCall = object(callFields) as Check<StoredCall>;

/** Returns the request fields of a call. */
export const requestedOf = (stored: StoredCall): RequestedCall =>
  Object.fromEntries(Object.entries(stored).filter(([field]) => Object.hasOwn(requestFields, field))) as RequestedCall;
