/** AG-UI 1.0 and the events of 0.x servers: an agent behind an endpoint that streams events. */
import { createAgUiReader } from './ag-ui-events.js';
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, stringOf } from './read-fields.js';
import { createMessageIds } from './message-ids.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import { declaredTools } from './native-tools.js';
import { readWholeReply } from './whole-reply.js';
import { serviceResultText } from './tool-indexes.js';
import type { ServedCall, TurnRequest, Wire } from './wire.js';

export const agUi: Wire = {
  id: 'ag-ui',
  images: anyImage,

  /**
   * The protocol cannot request an unstreamed reply, so `stream` is ignored. Servers require the field `tools`, so it is sent empty unless
   * the conversation declares its tools natively.
   */
  request(turn, endpoint) {
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: {
        threadId: turn.sessionId || createRandomId('thread'),
        runId: createRandomId('run'),
        protocolVersion: '1.0',
        state: turn.state ?? {},
        messages: toMessages(turn),
        tools: declaredTools(turn) ?? [],
        context: [],
        forwardedProps: {
          ...(turn.model !== undefined && { model: turn.model }),
          ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        },
        // A refusal is an answer too: `cancelled` would mean that the user gave none.
        ...(turn.answers && {
          resume: turn.answers.map(({ id, approved, reason }) => ({
            interruptId: id,
            status: 'resolved',
            payload: { approved, ...(reason !== undefined && { reason }) },
          })),
        }),
      },
    };
  },

  /** Creates a reader. `RUN_FINISHED` ends the reply, `RUN_ERROR` fails it; a closed connection does neither. */
  createReader(emit, response: ResponseInfo) {
    const read = createAgUiReader();
    return createBodyReader(emit, response, {
      json: readWholeReply,
      frame: jsonFrames((event) => read(stringOf(field(event, 'type')) ?? '', event)),
    });
  },
};

function toMessages(turn: TurnRequest): object[] {
  const createId = createMessageIds(turn.sessionId ?? '');
  const write = ({ role, text: words, images, calls, answers }: NormalizedMessage) => {
    if (answers) {
      const { id: toolCallId, failed } = answers;
      const content = answers.output === undefined ? words : serviceResultText(answers.output);
      return { id: createId(role, toolCallId), role, toolCallId, content, ...(failed && { error: words }) };
    }
    const pictures = images.map(({ url, mediaType: mimeType, data }) => ({
      type: 'image',
      source: data === undefined ? { type: 'url', value: url } : { type: 'data', value: data, mimeType },
    }));
    const toolCalls = calls.map(toolCall);
    const content = pictures.length === 0 ? words : [...(words === '' ? [] : [{ type: 'text', text: words }]), ...pictures];
    const id = createId(role, JSON.stringify([content, calls.map((call) => call.id)]));
    return { id, role, content, ...(toolCalls.length > 0 && { toolCalls }) };
  };
  const system: NormalizedMessage[] = turn.system === '' ? [] : [{ role: 'system', text: turn.system, images: [], calls: [], served: [] }];
  /** Writes the service's own calls, each with its result, before the text about them. */
  const writeServed = ({ served }: NormalizedMessage): object[] => {
    if (served.length === 0) return [];
    const results = served.map(({ id: toolCallId, output, failed }) => {
      const content = serviceResultText(output);
      return { id: createId('tool', toolCallId), role: 'tool', toolCallId, content, ...(failed && { error: content }) };
    });
    const id = createId('assistant', JSON.stringify(served.map((call) => call.id)));
    return [{ id, role: 'assistant', content: '', toolCalls: served.map(toolCall) }, ...results];
  };
  const hasMore = ({ text: words, calls, images }: NormalizedMessage) => words !== '' || calls.length > 0 || images.length > 0;
  return [...system, ...readMessages(turn, anyImage)].flatMap((one) => [
    ...writeServed(one),
    ...(one.served.length === 0 || hasMore(one) ? [write(one)] : []),
  ]);
}

const toolCall = ({ id, name, arguments: args, signature }: Pick<ServedCall, 'id' | 'name' | 'arguments' | 'signature'>) => ({
  ...{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
  ...(signature !== undefined && !signature.startsWith('{') && { encryptedValue: signature }),
});

/** Creates a random id. `crypto.randomUUID` exists only in secure contexts. */
function createRandomId(kind: string): string {
  return `${kind}-${Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36).padStart(2, '0')).join('')}`;
}
