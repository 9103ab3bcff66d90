/** A session as a file with what went on in it, and one such file step by step. No DOM. */
import { isObject } from '../base/objects.js';
import type { SessionFile } from '../storage/session-format.js';
import type { TraceRow } from './trace-rows.js';

export interface Recording {
  format: 'tool-chat-recording';
  version: 1;
  session: SessionFile;
  rows: readonly TraceRow[];
}

export const recordingOf = (session: SessionFile, rows: readonly TraceRow[]): Recording => ({
  ...({ format: 'tool-chat-recording', version: 1 } as const),
  session,
  rows,
});

/** The session of a file that was chosen: a recording, a session, or an older history. Whether it can be opened, opening it says. */
export function sessionIn(json: string): SessionFile {
  const file = JSON.parse(json) as unknown;
  return (isObject(file) && file['format'] === 'tool-chat-recording' ? file['session'] : file) as SessionFile;
}

/** How many steps a session has: one a message. */
export const stepsOf = (session: SessionFile): number => (Array.isArray(session) ? session : (session.messages ?? [])).length;

/** The session after its first messages: what the rest was about is not known yet. */
export function after(session: SessionFile, steps: number): SessionFile {
  if (Array.isArray(session)) return session.slice(0, steps) as unknown as SessionFile;
  return steps >= session.messages.length ? session : { ...session, messages: session.messages.slice(0, steps) };
}
