/**
 * What a conversation gives to the widget's own elements and to nobody else. Kept in a module-private map, not on the object: shadow
 * roots are open and objects can be walked, so a property would be a door for any page script.
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
  /** For the inspector, which only looks. */
  readonly chart: Chart;
  readonly trace: Trace;
  /** The body of the last request, as it left the page; undefined before the first. */
  sent(): unknown;
  readonly notices: Notices;
  readonly ahead: LoadAhead;
  /** Ignored when the call no longer waits or its digest differs. */
  decide(decision: Decision): void;
  /** Whether this is a word that confirms a link of a chain. */
  confirms(text: string): boolean;
  /** All that are registered, also those that are switched off. */
  everyTool(): readonly ToolDefinition[];
  /** From now on there is somebody to ask; without one, what asks is refused. */
  attachPerson(): void;
  /** An option has changed: another `session-id` is another conversation. */
  look(): void;
  /** Stops what runs and cancels what waits; the conversation can go on later. */
  leave(): void;
  /** The page is left for good: what nothing keeps is stopped, so that nobody goes on answering. */
  leavePage(): void;
  /** A question that is due cannot be put, and why; `null` when it can again. Shown as the conversation's error. */
  cannotAsk(why: 'hidden' | 'framed' | null): void;
}

const internals = new WeakMap<object, Internals>();

/** @param element the one that the conversation belongs to, if any */
export const keepInternals = (conversation: object, what: Internals, element = conversation): void => {
  internals.set(conversation, what);
  internals.set(element, what);
};

export const internalsOf = (conversation: object): Internals => {
  const found = internals.get(conversation);
  if (!found) throw new TypeError('Not a conversation of this copy of tool-chat');
  return found;
};
