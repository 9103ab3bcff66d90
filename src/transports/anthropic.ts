/** The wire for Anthropic Messages. */
import { isObject } from '../base/objects.js';
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { readCount, field, finishEvent, arrayOf, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { readMessages, mergeTurns, MISSING_START } from './wire-messages.js';
import type { Image, NormalizedMessage } from './wire-messages.js';
import { toolCallDelta, declaredTools, LOST_ARGUMENTS, toolCallEvent } from './native-tools.js';
import { readWholeError } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const anthropic: Wire = {
  id: 'anthropic',
  images: sees,

  request(turn, endpoint) {
    const tools = declaredTools(turn);
    const said = readMessages(turn, sees);
    return {
      url: new URL(endpoint),
      headers: {
        'content-type': 'application/json',
        accept: turn.stream ? 'text/event-stream' : 'application/json',
        // The newer version rejects any temperature, even the default one; the older version still accepts it.
        'anthropic-version': turn.temperature === undefined ? '2026-10-21' : '2023-06-01',
        // Without this header the service rejects requests from a browser.
        'anthropic-dangerous-direct-browser-access': 'true',
      },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        max_tokens: turn.maxTokens,
        // The service accepts temperatures up to 1.
        ...(turn.temperature !== undefined && { temperature: Math.min(1, turn.temperature) }),
        ...(turn.system !== '' && { system: turn.system }),
        messages: mergeTurns(said, write, textBlock(MISSING_START)).map(({ user, parts }) => ({
          role: user ? 'user' : 'assistant',
          content: plain(parts),
        })),
        ...(tools && { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }),
        stream: turn.stream,
      },
    };
  },

  /** Creates a reader. Only `message_stop` ends the reply; the reason comes earlier, in `message_delta`. */
  createReader(emit, response: ResponseInfo) {
    const counts = new Map<string, number>();
    let model: unknown;
    let reason: Finish | undefined;
    let calls = 0;
    /** Calls by the index of their block; `undefined` for a block that is not one of our calls. */
    const blocks = new Map<unknown, Call | undefined>();
    const all: Call[] = [];
    let isLost = false;

    /**
     * Returns the call that a piece belongs to. Some proxies give pieces another index than their block; then it is clear only if exactly
     * one call waits for pieces.
     */
    function callOf(block: unknown): Call | undefined {
      if (blocks.has(block)) return blocks.get(block);
      const silent = all.filter(({ told }) => !told);
      const open = silent.filter(({ isClosed }) => !isClosed);
      const waiting = open.length > 0 ? open : silent;
      if (waiting.length !== 1) return undefined;
      blocks.set(block, waiting[0]);
      return waiting[0];
    }

    /** Emits inputs that came with the start of a block. They count only if no piece has followed, even after the end of the block. */
    function inputsAtStart(): WireEvent[] {
      const silent = all.filter(({ told }) => !told);
      if (isLost)
        return (silent.length > 0 ? silent : all.slice(-1)).map(({ index }) => toolCallDelta(index, undefined, undefined, LOST_ARGUMENTS));
      return silent
        .filter(({ input, isClosed }) => isClosed || (isObject(input) && Object.keys(input).length > 0))
        .map(({ index, input }) => toolCallEvent(index, undefined, undefined, input));
    }

    function noteUsage(usage: unknown) {
      // Later counts replace earlier ones. The last report lacks most of them.
      for (const name of [...inputs, 'output_tokens']) {
        const tokens = readCount(field(usage, name));
        if (tokens !== undefined) counts.set(name, tokens);
      }
    }
    function usage(): WireEvent[] {
      const known = inputs.flatMap((name) => counts.get(name) ?? []);
      const input = known.length > 0 ? known.reduce((sum, tokens) => sum + tokens) : undefined;
      const event = usageEvent(input, counts.get('output_tokens'), model);
      return event ? [event] : [];
    }
    const finish = (): WireEvent[] => [...inputsAtStart(), ...usage(), finishEvent(reason ?? 'unknown', calls)];

    /** Returns the text or reasoning of a block, at its start or complete. */
    function readBlock(block: unknown): WireEvent[] {
      const [said, thought] = [stringOf(field(block, 'text')), stringOf(field(block, 'thinking'))];
      if (said !== undefined) return [{ type: 'text', text: said }];
      return thought === undefined ? [] : [{ type: 'reasoning', text: thought }];
    }

    function readEvent(data: unknown, name: string | undefined): WireEvent[] {
      const block = field(data, 'index');
      const delta = field(data, 'delta');
      switch (stringOf(field(data, 'type')) ?? name) {
        case 'message_start':
          model = field(field(data, 'message'), 'model');
          noteUsage(field(field(data, 'message'), 'usage'));
          return [];
        case 'content_block_start': {
          const content = field(data, 'content_block');
          if (field(content, 'type') !== 'tool_use') {
            blocks.set(block, undefined);
            return readBlock(content);
          }
          const call: Call = { index: calls, input: field(content, 'input'), told: false, isClosed: false };
          blocks.set(block, call);
          all.push(call);
          return [toolCallDelta(calls++, field(content, 'id'), field(content, 'name'), undefined)];
        }
        case 'content_block_delta': {
          const source = stringOf(field(delta, 'partial_json'));
          if (source === undefined) return readBlock(delta);
          const call = callOf(block);
          // The input of a tool that the service runs itself is not one of our calls.
          if (!call) isLost ||= !blocks.has(block);
          if (!call) return [];
          call.told = true;
          return [toolCallDelta(call.index, undefined, undefined, source)];
        }
        case 'content_block_stop': {
          const call = callOf(block);
          if (call) call.isClosed = true;
          return [];
        }
        case 'message_delta':
          reason = readFinish(field(delta, 'stop_reason')) ?? reason;
          noteUsage(field(data, 'usage'));
          return [];
        case 'message_stop':
          return finish();
        case 'error':
          return [...usage(), readError(data)];
        default:
          return [];
      }
    }

    function readMessage(body: unknown): WireEvent[] {
      const error = readWholeError(body);
      if (error.length > 0 || !Array.isArray(field(body, 'content'))) return error;
      const events = arrayOf(field(body, 'content')).flatMap((block) =>
        field(block, 'type') === 'tool_use'
          ? [toolCallEvent(calls++, field(block, 'id'), field(block, 'name'), field(block, 'input'))]
          : readBlock(block),
      );
      model = field(body, 'model');
      reason = readFinish(field(body, 'stop_reason'));
      noteUsage(field(body, 'usage'));
      return [...events, ...finish()];
    }

    return createBodyReader(emit, response, { frame: jsonFrames(readEvent), json: readMessage, closed: usage });
  },
};

interface Call {
  index: number;
  /** The input that came with the start of the block, for services that do not stream it. */
  input: unknown;
  /** True if pieces of its arguments have come. */
  told: boolean;
  isClosed: boolean;
}

/** The input token counts. The model reads all three; the first one alone excludes cached tokens. */
const inputs = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

const pictures = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
function sees({ url, mediaType }: Image): boolean {
  return mediaType === undefined ? url.startsWith('https:') : pictures.includes(mediaType);
}

const textBlock = (content: string): object => ({ type: 'text', text: content });

/** Uses the short form if possible, because every proxy supports it. */
function plain(parts: object[]): object[] | string {
  const [only] = parts;
  return (parts.length === 1 && stringOf(field(only, 'text'))) || parts;
}

/** Writes the content blocks of a message. Blank text is omitted, because the service rejects it. */
function write({ text: content, images, calls, answers }: NormalizedMessage): object[] {
  if (answers) {
    return [{ type: 'tool_result', tool_use_id: answers.id, content, ...(answers.failed && { is_error: true }) }];
  }
  return [
    ...images.map(({ url, mediaType, data }) => ({
      type: 'image',
      source: data === undefined ? { type: 'url', url } : { type: 'base64', media_type: mediaType, data },
    })),
    ...(content.trim() === '' ? [] : [textBlock(content)]),
    ...calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
  ];
}
