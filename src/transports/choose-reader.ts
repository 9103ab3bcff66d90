/** Whose response is this? For `wire="auto"`, once the wire that the address chose cannot make sense of it. */
import { builtInWires } from './built-in-wires.js';
import { own } from '../base/objects.js';
import { field, arrayOf, parseJson, stringOf } from './read-fields.js';
import { createSseReader } from './sse.js';
import type { Wire } from './wire.js';

export interface Recognised {
  wire: Wire;
  /** For the log. */
  why: string;
}

/** Plain text is no answer where a model is known to be: the sign-in page of a network may have sent it. */
interface Refused {
  refused: string;
  /** The beginning of it. */
  text: string;
}

/** @returns `undefined` when more has to come before it can be told, `null` when it is nobody's */
export async function recognise(
  response: { contentType: string; headers: Headers },
  head: Uint8Array,
  ended: boolean,
  asked: { wire: Wire; endpoint: URL },
): Promise<Recognised | Refused | null | undefined> {
  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (response.headers.has('x-vercel-ai-ui-message-stream')) return recognised('ui-message-stream', 'the header of its protocol');
  const text = new TextDecoder().decode(head).trimStart();
  const plain = stringOf(own(wireByType, type));
  const asText = async () =>
    isKnown(asked)
      ? {
          refused: `The endpoint sent plain text, which is no answer of the wire “${asked.wire.id}”. If it is meant, set wire="text"`,
          text,
        }
      : recognised('text', type);
  if (/^[[{]/.test(text)) {
    const row = text.split(/[\r\n]/, 1)[0] ?? '';
    if (wireOfBody(parseJson(row)) === 'ollama') return recognised('ollama', 'the first rows');
    // Words may begin with a bracket, too.
    if (plain === 'text' && !/^(?:\{\s*(?:["}]|$)|\[\s*(?:[{\]]|$))/.test(text)) return asText();
    if (!ended) return undefined;
    const id = wireOfBody(parseJson(text)) ?? plain;
    if (id === 'text') return asText();
    return id ? recognised(id, id === plain ? type : 'the shape of the reply') : null;
  }
  const id = wireOfStream(head);
  if (id) return recognised(id, 'the first events');
  // Until the first event has ended, it can be of any kind.
  const isStream = labels.some((label) => text.startsWith(label) || (!ended && label.startsWith(text)));
  if (isStream) return ended ? null : undefined;
  if (plain === 'text') return asText();
  if (plain) return recognised(plain, type);
  return type === 'text/event-stream' || type === '' ? (ended ? null : undefined) : null;
}

/** Our relay, wherever it is mounted. */
const RELAY = /\/api\/ai\/chat(?:\/stream)?\/?$/;

/** A wire was chosen because the address says what answers there. */
const isKnown = ({ wire, endpoint }: { wire: Wire; endpoint: URL }): boolean =>
  wire.id === 'cutie' ? RELAY.test(endpoint.pathname) : builtInWires.some(({ id, fits }) => id === wire.id && fits(endpoint));

async function recognised(id: string, why: string): Promise<Recognised | null> {
  const wire = await builtInWires.find((one) => one.id === id)?.load();
  return wire ? { wire, why } : null;
}

const labels = ['data:', 'event:', 'id:', 'retry:', ':'];

const wireByType: Readonly<Record<string, string>> = {
  'application/x-ndjson': 'ollama',
  'application/ndjson': 'ollama',
  'application/jsonl': 'ollama',
  'text/plain': 'text',
  'text/markdown': 'text',
};

function wireOfStream(head: Uint8Array): string | undefined {
  let id: string | undefined;
  const reader = createSseReader({
    event: ({ data }) => {
      id ??= wireOfEvent(parseJson(data));
    },
    comment() {},
    tooLong() {},
  });
  reader.push(head);
  return id;
}

/** What only one of them says. A `start`, a `ping` or an `error` could be anybody's: the next event will tell. */
function wireOfEvent(event: unknown): string | undefined {
  const type = stringOf(field(event, 'type'));
  if (type === undefined) {
    if (field(event, 'candidates') !== undefined || field(event, 'promptFeedback') !== undefined) return 'gemini';
    if (Array.isArray(field(event, 'choices')) || (field(event, 'error') ?? undefined) !== undefined) return 'openai';
    return undefined;
  }
  if (type.startsWith('response.')) return 'openai-responses';
  if (/^(?:message_(?:start|delta|stop)|content_block_)/.test(type)) return 'anthropic';
  if (/^(?:RUN|TEXT_MESSAGE|TOOL_CALL|REASONING|THINKING|STEP|STATE|MESSAGES|ACTIVITY)_[A-Z_]+$/.test(type)) return 'ag-ui';
  if (/^(?:(?:start|finish)-step|(?:text|reasoning)-(?:start|delta)|tool-(?:input|output)-|data-)/.test(type)) return 'ui-message-stream';
  if (type === 'start' && stringOf(field(event, 'messageId')) !== undefined) return 'ui-message-stream';
  return undefined;
}

/** A reply in one piece. An array is what Gemini sends to who forgets `alt=sse`. */
function wireOfBody(body: unknown): string | undefined {
  const one = Array.isArray(body) ? arrayOf(body)[0] : body;
  if (field(one, 'candidates') !== undefined || field(one, 'promptFeedback') !== undefined) return 'gemini';
  if (field(one, 'object') === 'response') return 'openai-responses';
  if (field(one, 'type') === 'message' && Array.isArray(field(one, 'content'))) return 'anthropic';
  if (Array.isArray(field(one, 'choices'))) return 'openai';
  if (typeof field(one, 'done') === 'boolean' && field(one, 'message') !== undefined) return 'ollama';
  if (typeof field(one, 'reply') === 'string') return 'cutie';
  return undefined;
}
