/** A session as a file together with its trace, and the steps of such a file. No DOM. */
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

/** Returns the session of a chosen file: a recording, a session, or an older history. It is validated only when it is opened. */
export function parseSession(json: string): SessionFile {
  const file = JSON.parse(json) as unknown;
  return (isObject(file) && file['format'] === 'tool-chat-recording' ? file['session'] : file) as SessionFile;
}

/** Returns the number of steps of a session: one per message. */
export const stepsOf = (session: SessionFile): number => (Array.isArray(session) ? session : (session.messages ?? [])).length;

/** Returns the session after its first `steps` messages, without data about later ones. */
export function truncateSession(session: SessionFile, steps: number): SessionFile {
  if (Array.isArray(session)) return session.slice(0, steps) as unknown as SessionFile;
  if (steps >= session.messages.length) return session;
  // The state at the end and other versions belong to later messages.
  const { turn: _, failure: _failure, branches: _branches, order: _order, ...rest } = session;
  const messages = session.messages.slice(0, steps);
  const messageIds = new Set(messages.map(({ id }) => id));
  const calls = session.calls?.filter(({ messageId }) => messageIds.has(messageId));
  const requestIds = new Set(calls?.map(({ requestId }) => requestId));
  return {
    ...{ ...rest, messages },
    ...(calls && { calls }),
    ...(rest.results && { results: rest.results.filter(({ requestId }) => requestIds.has(requestId)) }),
    ...(rest.parts && { parts: Object.fromEntries(Object.entries(rest.parts).filter(([id]) => messageIds.has(id))) }),
  };
}
