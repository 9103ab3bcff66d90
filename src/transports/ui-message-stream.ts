/**
 * The UI message stream of the AI SDK (`x-vercel-ai-ui-message-stream: v1`), used by backends made for `useChat`. Such a backend has its
 * own model and system prompt: ours is sent as `system` in the body, and the text protocols work only if the app passes it on.
 */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { anyImage } from './wire-messages.js';
import { declaredTools, LOST_ARGUMENTS } from './native-tools.js';
import { isObject } from '../base/objects.js';
import { createToolIndexes, serviceResultText } from './tool-indexes.js';
import { toUiMessages } from './ui-messages.js';
import { readWholeReply } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const uiMessageStream: Wire = {
  id: 'ui-message-stream',
  images: anyImage,

  /** Builds the request. The protocol cannot request an unstreamed reply, so `stream` is ignored. */
  request(turn, endpoint) {
    const tools = declaredTools(turn);
    const messages = toUiMessages(turn);
    // The id of the user's message, which the service knows: its reply is to be regenerated.
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

  /**
   * Creates a reader. `[DONE]` ends the reply, and comes after an error too; an `error` or `abort` chunk before it ends the reply
   * differently.
   */
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
  /** The finish reason. Undefined until a chunk has named it. */
  let finish: Finish | 'interrupted' | undefined;
  /** Calls whose arguments are incomplete, with the pieces so far. */
  const growing = new Map<string, string>();
  /** True if content of the current step is on the screen. */
  let stepSaid = false;
  let said = false;
  let newStep = false;
  /** Reasoning of this step since its last call, by id. */
  let thoughts = new Map<string, { text: string; providerMetadata?: unknown }>();

  /** Collects reasoning: reasoning models need it back with a call, including the provider's metadata on both. */
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

  /** Emits text. Steps are consecutive calls of a model; without a break the text of one would run into that of the next. */
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
    // If the value is text, it equals the result.
    return tool(chunk, { by: 'service', result, ...(failed && { failed }), ...(value !== undefined && value !== result && { value }) });
  }

  function asked(chunk: unknown): WireEvent[] {
    const id = stringOf(field(chunk, 'approvalId'));
    // The service itself answers an automatic approval.
    if (id === undefined || field(chunk, 'isAutomatic') === true) return tool(chunk, { by: 'service' });
    const reason = stringOf(field(chunk, 'reason'));
    const signature = stringOf(field(chunk, 'signature'));
    const inputSchemaInput = field(chunk, 'inputSchemaInput');
    const keep = { ...(signature !== undefined && { signature }), ...(inputSchemaInput !== undefined && { inputSchemaInput }) };
    const approval = { id, ...(reason !== undefined && { reason }), ...(Object.keys(keep).length > 0 && { keep }) };
    return tool(chunk, { by: 'service', approval });
  }

  return {
    /** Ends the reply. If the model's own stream broke off behind the service, the reply is cut, even if the service closed it properly. */
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
          // The service retracts this step. Text on the screen, which may contain a call, cannot be retracted: the reply fails, its text
          // stays marked as failed, and none of it runs.
          return stepSaid ? [{ type: 'error', message: '', code: 'RESET', retryable: true }] : [];
        // Arguments count only when complete: until then the service may still repair or reject them. The pieces only show progress.
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
          // There is no usage field; apps that report usage put it here.
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

/** Returns arguments as JSON text. An app may send its input as a string, or not at all; then the pieces are used. */
function argumentText(input: unknown, pieces: string): string {
  return input === undefined || input === null ? pieces || '{}' : JSON.stringify(input);
}
