/**
 * The time limit of a tool whose work runs on another machine (MCP). Ending the wait does not end that work. So progress extends the limit,
 * and a call whose work may still run is not repeated automatically.
 */
import type { ToolContext } from './tool.js';

export interface RemoteWork {
  /** Marks the request as about to be sent: from here on the work may run. */
  begin(): void;
  /** Restarts the time limit because the work made progress, up to `LONGEST_WORK` in total. */
  extend(): void;
  /** Pauses the time limit while the user is asked something, until the returned function is called. */
  pause(): () => void;
  /** Marks the work as ended, as reported by the service. */
  end(): void;
}

/** Maximum milliseconds of a call in total, regardless of its progress. */
export const LONGEST_WORK = 3_600_000;

/** `Symbol.for`: the page may hold two copies of this module, one of the element and one of `tool-chat/mcp`. */
const KEY = Symbol.for('tool-chat:remote-work');

export const withRemoteWork = (context: ToolContext, work: RemoteWork): ToolContext => Object.freeze({ ...context, [KEY]: work });

/** Returns the `RemoteWork` of a call; `undefined` if the call has no such limit, as in the page's own tests of its tools. */
export const remoteWorkOf = (context: ToolContext): RemoteWork | undefined => (context as { [KEY]?: RemoteWork })[KEY];
