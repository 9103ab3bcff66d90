/** One request for a reply, and everything that comes of it. */
import { cutie } from '../../src/transports/cutie.js';
import { readReply } from '../../src/transports/read-reply.js';
import type { ReplyOutcome, ReplyRequest, ReplySink } from '../../src/transports/reply-request.js';
import type { WireEvent } from '../../src/transports/wire.js';

export const requestFor = (more: Partial<ReplyRequest> = {}): ReplyRequest => ({
  wire: cutie,
  endpoint: 'https://api.example/chat/stream',
  turn: { messages: [{ role: 'user', text: 'Hi' }], system: 'Be brief.', maxTokens: 2000, stream: true },
  fetch: () => Promise.reject(new Error('the network is not asked')),
  signal: new AbortController().signal,
  requestTimeout: 60_000,
  heartbeat: 30_000,
  ...more,
});

export interface Reply {
  outcome: ReplyOutcome;
  events: WireEvent[];
  text: string;
}

export async function askFor(more: Partial<ReplyRequest>, sink: Partial<ReplySink> = {}): Promise<Reply> {
  const events: WireEvent[] = [];
  const outcome = await readReply(requestFor(more), { ...sink, event: (event) => void events.push(event) });
  return { outcome, events, text: events.map((event) => (event.type === 'text' ? event.text : '')).join('') };
}
