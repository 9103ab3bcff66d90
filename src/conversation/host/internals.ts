/**
 * The private interface between a conversation and the widget's own elements. It is kept in a module-private map and not on the object:
 * shadow roots are open and objects can be walked, so any page script could reach a property.
 */
import type { LoadAhead } from './load-ahead.js';
import type { Log } from '../../base/logging.js';
import type { Notices } from '../chart/notices.js';
import type { Decision } from '../../model/decision.js';
import type { Chart } from '../chart/services.js';
import type { Trace } from './trace.js';
import type { ConversationSurface } from '../../model/snapshot.js';
import type { ToolDefinition } from '../../tools/tool.js';

export interface Internals {
  readonly surface: ConversationSurface;
  readonly log: Log;
  /** For the inspector, which only reads it. */
  readonly chart: Chart;
  readonly trace: Trace;
  /** Returns the body of the last request, as it was sent; undefined before the first. */
  sent(): unknown;
  readonly notices: Notices;
  readonly ahead: LoadAhead;
  /** Allows, denies or edits a call. Ignored if the call no longer waits or its digest differs. */
  decide(decision: Decision): void;
  /** Marks that the user is changing this call, so that a permission given with another call does not run it. */
  asksAlone(requestId: string): void;
  /** Checks whether the text is a word that confirms a further call of a chain. */
  confirms(text: string): boolean;
  /** Returns all registered tools except unlisted ones, including those that are switched off. */
  everyTool(): readonly ToolDefinition[];
  /** Marks that a user can be asked from now on. Without one, calls that need approval are refused. */
  attachPerson(): void;
  /** Checks the options after a change: another `session-id` is another conversation. */
  look(): void;
  /** Stops the running turn and cancels waiting ones. The conversation can continue later. */
  leave(): void;
  /** Called when the page is left for good. Stops an unsaved conversation, so that the provider does not go on answering. */
  leavePage(): void;
  /** Sets the reason why an approval cannot be shown, or `null` if it can again. It is displayed as the conversation's error. */
  cannotAsk(why: 'hidden' | 'framed' | null): void;
}

const internals = new WeakMap<object, Internals>();

/** @param element the element of the conversation, if any */
export const keepInternals = (conversation: object, what: Internals, element = conversation): void => {
  internals.set(conversation, what);
  internals.set(element, what);
};

export const internalsOf = (conversation: object): Internals => {
  const found = internals.get(conversation);
  if (!found) throw new TypeError('Not a conversation of this copy of tool-chat');
  return found;
};
