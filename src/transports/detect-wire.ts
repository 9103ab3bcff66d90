/** Detects the wire of a response for `wire="auto"`, when the wire that fits the address cannot read it. */
import { builtInWires } from './built-in-wires.js';
import { own } from '../base/objects.js';
import { field, arrayOf, parseJson, stringOf } from './read-fields.js';
import { createSseReader } from './sse.js';
import type { Wire } from './wire.js';

export interface DetectedWire {
  wire: Wire;
  /** The reason, for the log. */
  why: string;
}

/** Plain text is not accepted as an answer if the address fits a model service: it may be the sign-in page of a network. */
interface UndetectedText {
  refused: string;
  /** The beginning of the text. */
  text: string;
}

/** @returns `undefined` if it needs more bytes to decide, `null` if no wire matches */
export async function detectWire(
  response: { contentType: string; headers: Headers },
  head: Uint8Array,
  ended: boolean,
  asked: { wire: Wire; endpoint: URL },
): Promise<DetectedWire | UndetectedText | null | undefined> {
  const type = (response.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (response.headers.has('x-vercel-ai-ui-message-stream')) return detected('ui-message-stream', 'the header of its protocol');
  const text = new TextDecoder().decode(head).trimStart();
  if (response.headers.has('x-vercel-ai-data-stream') || /^(?:0:"|f:\{)/.test(text))
    return { refused: 'The endpoint answers in the data stream of AI SDK 4, which is not supported. It needs AI SDK 5 or later', text };
  const plain = stringOf(own(wireByType, type));
  const asText = async () =>
    isKnown(asked)
      ? {
          refused: `The endpoint sent plain text, which is no answer of the wire “${asked.wire.id}”. If it is meant, set wire="text"`,
          text,
        }
      : detected('text', type);
  if (/^[[{]/.test(text)) {
    const row = text.split(/[\r\n]/, 1)[0] ?? '';
    if (wireOfBody(parseJson(row)) === 'ollama') return detected('ollama', 'the first rows');
    // Prose may begin with a bracket, too.
    if (plain === 'text' && !/^(?:\{\s*(?:["}]|$)|\[\s*(?:[{\]]|$))/.test(text)) return asText();
    if (!ended) return undefined;
    const id = wireOfBody(parseJson(text)) ?? plain;
    if (id === 'text') return asText();
    return id ? detected(id, id === plain ? type : 'the shape of the reply') : null;
  }
  const id = wireOfStream(head);
  if (id) return detected(id, 'the first events');
  // Until the first event has ended, it may be of any wire.
  const isStream = labels.some((label) => text.startsWith(label) || (!ended && label.startsWith(text)));
  if (isStream) return ended ? null : undefined;
  if (plain === 'text') return asText();
  if (plain) return detected(plain, type);
  return type === 'text/event-stream' || type === '' ? (ended ? null : undefined) : null;
}

/** Our relay, at any mount path. */
const RELAY = /\/api\/ai\/chat(?:\/stream)?\/?$/;

/** Checks whether the address itself tells which wire to expect. */
const isKnown = ({ wire, endpoint }: { wire: Wire; endpoint: URL }): boolean =>
  wire.id === 'cutie' ? RELAY.test(endpoint.pathname) : builtInWires.some(({ id, fits }) => id === wire.id && fits(endpoint));

async function detected(id: string, why: string): Promise<DetectedWire | null> {
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

/** Returns the wire by event types that only one wire has. A `start`, a `ping` or an `error` is ambiguous: the next event decides. */
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

/** Returns the wire of an unstreamed reply. Gemini sends an array if the request lacks `alt=sse`. */
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
