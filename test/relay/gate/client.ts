/** A page of `orchestration="relay-gated"`, by hand: every field of its requests can be told otherwise. */
import { xmlInvoke } from '../../../src/protocols/xml-invoke.js';
import { ask, readEvents } from '../ask.js';

export interface Message {
  role: string;
  text: string;
}

export interface Answer {
  id: string;
  name: string;
  status: 'success' | 'error' | 'denied' | 'cancelled' | 'interrupted';
  decidedBy?: string;
}

let requests = 0;

export const uniqueSession = () => `session-${crypto.randomUUID()}`;
export const call = (name: string, args: Record<string, unknown> = {}) => xmlInvoke.writeCall!(name, args);
export const user = (text: string): Message => ({ role: 'user', text });
export const assistant = (text: string): Message => ({ role: 'assistant', text });
/** One message with these results, as our client writes them. */
export const told = (...answers: Answer[]): Message =>
  user(xmlInvoke.formatToolResults(answers.map(({ id, name, status }) => ({ requestId: id, toolName: name, status, result: 'ok' }))));

export interface Said {
  status: number;
  reason: unknown;
  text: string;
  events: string[];
}

export function page(relay: (request: Request) => Promise<Response>, session = uniqueSession()) {
  return {
    session,
    async say(messages: Message[], claims: object = {}, over: object = {}): Promise<Said> {
      const orchestration = {
        session,
        request: `request-${(requests += 1)}`,
        protocol: 'xml-invoke',
        kind: 'user',
        answers: [],
        ...claims,
      };
      const response = await relay(ask({ messages, system: '', max_tokens: 100, stream: true, config: { orchestration }, ...over }));
      const body = await response.text();
      if (!response.headers.get('content-type')?.includes('event-stream'))
        return { status: response.status, reason: (JSON.parse(body) as { reason?: string }).reason, text: '', events: [] };
      const events = readEvents(body);
      return {
        status: response.status,
        reason: events.at(-1)?.data['reason'],
        text: events.map(({ data }) => data['content'] ?? '').join(''),
        events: events.map(({ event }) => event),
      };
    },
  };
}
