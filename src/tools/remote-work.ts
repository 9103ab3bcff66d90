/**
 * The time limit of a tool whose work is done on another machine (MCP). Ending the wait does not end that work. So a sign of life extends the limit,
 * and a call that may still be at work is not begun a second time by itself.
 */
import type { ToolContext } from './tool.js';

export interface RemoteWork {
  /** The request is about to leave this page: from here on the work may run. */
  begin(): void;
  /** The work made progress: the time limit starts again, up to `LONGEST_WORK` in all. */
  extend(): void;
  /** The user is asked something: the time limit does not run until the returned function is called. */
  pause(): () => void;
  /** The service has said how the work ended. */
  end(): void;
}

/** Milliseconds that a call may take in all, however much progress it reports. */
export const LONGEST_WORK = 3_600_000;

/** `Symbol.for`: the page may hold two copies of this module, one of the element and one of `tool-chat/mcp`. */
const KEY = Symbol.for('tool-chat:remote-work');

export const withRemoteWork = (context: ToolContext, work: RemoteWork): ToolContext => Object.freeze({ ...context, [KEY]: work });

/** Undefined where the call has no limit of ours, as in the page's own tests of its tools. */
export const remoteWorkOf = (context: ToolContext): RemoteWork | undefined => (context as { [KEY]?: RemoteWork })[KEY];
