/** Anthropic Messages. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { readCount, field, finishEvent, arrayOf, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { readMessages, takeTurns, UNKNOWN_BEGINNING } from './wire-messages.js';
import type { Image, Said } from './wire-messages.js';
import { callPiece, declaredTools, wholeCall } from './offered-tools.js';
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
        'anthropic-version': '2026-10-21',
        // Without it the service refuses whatever comes from a page.
        'anthropic-dangerous-direct-browser-access': 'true',
      },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        max_tokens: turn.maxTokens,
        // Its scale ends at 1.
        ...(turn.temperature !== undefined && { temperature: Math.min(1, turn.temperature) }),
        ...(turn.system !== '' && { system: turn.system }),
        messages: takeTurns(said, write, textBlock(UNKNOWN_BEGINNING)).map(({ user, parts }) => ({
          role: user ? 'user' : 'assistant',
          content: plain(parts),
        })),
        ...(tools && { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }),
        stream: turn.stream,
      },
    };
  },

  /** Ended only by `message_stop`; why is said before, by `message_delta`. */
  createReader(emit, response: ResponseInfo) {
    const counts = new Map<string, number>();
    let model: unknown;
    let reason: Finish | undefined;
    let calls = 0;
    /** By block: its call, and an input that came with the start of the block, for services that stream none. */
    const open = new Map<unknown, { index: number; input: unknown }>();

    function noteUsage(usage: unknown) {
      // Later counts replace earlier ones; in the last report most are missing.
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
    const finish = (): WireEvent[] => [...usage(), finishEvent(reason ?? 'unknown', calls)];

    /** Text and reasoning of a block that begins, or of one that is whole. */
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
          if (field(content, 'type') !== 'tool_use') return readBlock(content);
          open.set(block, { index: calls, input: field(content, 'input') });
          return [callPiece(calls++, field(content, 'id'), field(content, 'name'), undefined)];
        }
        case 'content_block_delta': {
          const call = open.get(block);
          const source = stringOf(field(delta, 'partial_json'));
          if (!call || source === undefined) return readBlock(delta);
          call.input = undefined;
          return [callPiece(call.index, undefined, undefined, source)];
        }
        case 'content_block_stop': {
          const call = open.get(block);
          open.delete(block);
          return call?.input === undefined ? [] : [wholeCall(call.index, undefined, undefined, call.input)];
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
          ? [wholeCall(calls++, field(block, 'id'), field(block, 'name'), field(block, 'input'))]
          : readBlock(block),
      );
      model = field(body, 'model');
      reason = readFinish(field(body, 'stop_reason'));
      noteUsage(field(body, 'usage'));
      return [...events, ...finish()];
    }

    return createBodyReader(emit, response, { frame: jsonFrames(response, readEvent), json: readMessage, closed: usage });
  },
};

/** All three are read by the model; the first alone leaves out what came from a cache. */
const inputs = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

const pictures = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
function sees({ url, mediaType }: Image): boolean {
  return mediaType === undefined ? url.startsWith('https:') : pictures.includes(mediaType);
}

const textBlock = (content: string): object => ({ type: 'text', text: content });

/** The short form, which every proxy knows, wherever it will do. */
function plain(parts: object[]): object[] | string {
  const [only] = parts;
  return (parts.length === 1 && stringOf(field(only, 'text'))) || parts;
}

/** Blank text is refused, so it is left out. */
function write({ text: content, images, calls, answers }: Said): object[] {
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
