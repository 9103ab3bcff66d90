/**
 * The UI message stream of the AI SDK (`x-vercel-ai-ui-message-stream: v1`), which backends made for `useChat` speak. Such a backend owns
 * its model and its own system prompt: ours travels as `system` in the body, and the text notations need the app to pass it on.
 */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { anyImage } from './wire-messages.js';
import { declaredTools, LOST_ARGUMENTS } from './offered-tools.js';
import { isObject } from '../base/objects.js';
import { createToolIndexes, serviceResultText } from './tool-indexes.js';
import { toUiMessages } from './ui-messages.js';
import { readWholeReply } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const uiMessageStream: Wire = {
  id: 'ui-message-stream',
  images: anyImage,

  /** There is no way to ask for a whole reply: `stream` is not looked at. */
  request(turn, endpoint) {
    const tools = declaredTools(turn);
    const messages = toUiMessages(turn);
    // The user's message, which the service knows: the reply to it is to be made once more.
    const messageId = turn.regenerates && messages.findLast(({ role }) => role === 'user')?.id;
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: {
        id: turn.sessionId ?? '',
        messages,
        ...(messageId && { messageId }),
        trigger: turn.regenerates ? 'regenerate-message' : 'submit-message',
        system: turn.system,
        maxOutputTokens: turn.maxTokens,
        ...(turn.model !== undefined && { model: turn.model }),
        ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        ...(tools && { tools }),
      },
    };
  },

  /** Ended by `[DONE]`, which comes after an error too; an `error` or `abort` chunk before it ends the reply otherwise. */
  createReader(emit, response: ResponseInfo) {
    const read = createChunkReader();
    const frame = jsonFrames(read.chunk);
    return createBodyReader(emit, response, {
      json: readWholeReply,
      frame: (source, name) => (source.trim() === '[DONE]' ? read.done() : frame(source, name)),
    });
  },
};

function createChunkReader() {
  const calls = createToolIndexes();
  /** Absent as long as no chunk has said it. */
  let finish: Finish | 'interrupted' | undefined;
  /** Calls whose arguments are not whole yet, and what has come of them. */
  const growing = new Map<string, string>();
  /** Something of the current step is on the screen. */
  let stepSaid = false;
  let said = false;
  let newStep = false;
  /** Thoughts of this step since its last call, by id. */
  let thoughts = new Map<string, { text: string; providerMetadata?: unknown }>();

  /** Thinking models want their thoughts back with a call, and what the provider put on both. */
  function think(chunk: unknown): WireEvent[] {
    const id = stringOf(field(chunk, 'id')) ?? '';
    const delta = stringOf(field(chunk, 'delta')) ?? '';
    const metadata = field(chunk, 'providerMetadata');
    const thought = thoughts.get(id) ?? { text: '' };
    thoughts.set(id, { ...thought, text: thought.text + delta, ...(isObject(metadata) && { providerMetadata: metadata }) });
    return delta === '' ? [] : [{ type: 'reasoning', text: delta }];
  }

  function keep(chunk: unknown): { signature?: string } {
    const metadata = field(chunk, 'providerMetadata');
    const marks = ['dynamic', 'providerExecuted'].filter((mark) => field(chunk, mark) === true);
    const reasoning = [...thoughts.values()].filter(({ text, providerMetadata }) => text !== '' || providerMetadata);
    thoughts = new Map();
    if (!isObject(metadata) && marks.length === 0 && reasoning.length === 0) return {};
    return { signature: JSON.stringify({ reasoning, marks, ...(isObject(metadata) && { metadata }) }) };
  }

  /** Steps are calls of a model, one after the other; without a break the words of one run into those of the next. */
  function speak(delta: string): WireEvent[] {
    const breaks = newStep && said ? '\n\n' : '';
    newStep = false;
    said = stepSaid = true;
    return [{ type: 'text', text: breaks + delta }];
  }

  function tool(chunk: unknown, more?: Parameters<ReturnType<typeof calls.call>['piece']>[0]): WireEvent[] {
    const id = stringOf(field(chunk, 'toolCallId'));
    if (id === undefined) return [];
    stepSaid = true;
    const call = calls.call(id, stringOf(field(chunk, 'toolName')));
    call.settled ||= more?.result !== undefined;
    const theirs = field(chunk, 'providerExecuted') === true || field(chunk, 'dynamic') === true;
    return [call.piece({ ...(theirs && { by: 'service' }), ...more })];
  }

  function answered(chunk: unknown, result: string, failed = false, value?: unknown): WireEvent[] {
    // A text is the value itself.
    return tool(chunk, { by: 'service', result, ...(failed && { failed }), ...(value !== undefined && value !== result && { value }) });
  }

  function asked(chunk: unknown): WireEvent[] {
    const id = stringOf(field(chunk, 'approvalId'));
    // An automatic one is the service's to answer.
    if (id === undefined || field(chunk, 'isAutomatic') === true) return tool(chunk, { by: 'service' });
    const reason = stringOf(field(chunk, 'reason'));
    const signature = stringOf(field(chunk, 'signature'));
    const inputSchemaInput = field(chunk, 'inputSchemaInput');
    const keep = { ...(signature !== undefined && { signature }), ...(inputSchemaInput !== undefined && { inputSchemaInput }) };
    const approval = { id, ...(reason !== undefined && { reason }), ...(Object.keys(keep).length > 0 && { keep }) };
    return tool(chunk, { by: 'service', approval });
  }

  return {
    /** Where the model's own stream broke off behind the service, the reply is cut, however properly that is told. */
    done: (): WireEvent[] => {
      if (finish === 'interrupted') return [];
      const end: WireEvent = finish === undefined ? { type: 'finish', finish: 'unknown', proved: true } : finishEvent(finish);
      const open = [...growing.keys()].map((id) => calls.call(id)).filter((call) => !call.settled);
      return [...open.map((call) => call.piece({ arguments: LOST_ARGUMENTS })), end];
    },

    chunk(chunk: unknown): WireEvent[] {
      const delta = stringOf(field(chunk, 'delta'));
      switch (field(chunk, 'type')) {
        case 'text-delta': // also before its `text-start`
          return delta === undefined ? [] : speak(delta);
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
          return think(chunk);
        case 'start-step':
          newStep = true;
          stepSaid = false;
          thoughts = new Map();
          return [];
        case 'reset-step':
          // The service takes back what it said in this step. What is on the screen, and may hold a call, cannot be taken back: the
          // reply has failed, its text stays marked as such, and nothing of it runs.
          return stepSaid ? [{ type: 'error', message: '', code: 'RESET', retryable: true }] : [];
        // The arguments count once they are whole: until then the service may still mend or refuse them. The pieces only show life.
        case 'tool-input-start':
        case 'tool-input-delta': {
          const id = stringOf(field(chunk, 'toolCallId'));
          if (id !== undefined) growing.set(id, (growing.get(id) ?? '') + (stringOf(field(chunk, 'inputTextDelta')) ?? ''));
          return tool(chunk);
        }
        case 'tool-input-available': {
          const pieces = growing.get(stringOf(field(chunk, 'toolCallId')) ?? '') ?? '';
          growing.delete(stringOf(field(chunk, 'toolCallId')) ?? '');
          return tool(chunk, { arguments: argumentText(field(chunk, 'input'), pieces), ...keep(chunk) });
        }
        case 'tool-input-error':
        case 'tool-output-error':
          return answered(chunk, stringOf(field(chunk, 'errorText')) ?? '', true);
        case 'tool-output-denied':
          return answered(chunk, '', true);
        case 'tool-output-available':
          return field(chunk, 'preliminary') === true
            ? tool(chunk, { by: 'service' })
            : answered(chunk, serviceResultText(field(chunk, 'output')), false, field(chunk, 'output'));
        case 'tool-approval-request':
          return asked(chunk);
        case 'finish': {
          const reason = stringOf(field(chunk, 'finishReason'));
          finish = reason?.toLowerCase() === 'interrupted' ? 'interrupted' : (readFinish(reason) ?? 'stop');
          // There is no field for it; this is where apps put it that tell it at all.
          const metadata = field(chunk, 'messageMetadata');
          const tokens = field(metadata, 'usage') ?? field(metadata, 'totalUsage');
          const usage = usageEvent(field(tokens, 'inputTokens'), field(tokens, 'outputTokens'), field(metadata, 'model'));
          return usage ? [usage] : [];
        }
        case 'error': {
          const message = stringOf(field(chunk, 'errorText'));
          return [message === undefined ? readError(chunk) : { type: 'error', message }];
        }
        case 'abort':
          return [{ type: 'finish', finish: 'aborted', proved: false }];
        default: {
          const kind = stringOf(field(chunk, 'type')) ?? '';
          return /^(?:data-|source-)|^file$|^reasoning-file$|^custom$/.test(kind) ? [{ type: 'part', kind }] : [];
        }
      }
    },
  };
}

/** Arguments travel as JSON text here. An app may say its input as text, or not at all; then it is what the pieces said. */
function argumentText(input: unknown, pieces: string): string {
  return input === undefined || input === null ? pieces || '{}' : JSON.stringify(input);
}
