/** OpenAI Responses, and the local servers that speak them. Nothing is kept by the service: every request holds the conversation. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, arrayOf, readError, readFinish, readUsage, stringOf } from './read-fields.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { Said } from './wire-messages.js';
import { callPiece, declaredTools } from './offered-tools.js';
import { readWholeError } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const openaiResponses: Wire = {
  id: 'openai-responses',
  images: anyImage,

  request(turn, endpoint) {
    const tools = declaredTools(turn);
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'text/event-stream' : 'application/json' },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        ...(turn.system !== '' && { instructions: turn.system }),
        input: readMessages(turn, anyImage).flatMap(write),
        // Strict by default here: then every parameter of every tool would have to be required.
        ...(tools && { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
        max_output_tokens: Math.max(16, turn.maxTokens), // less is refused
        ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        store: false,
        stream: turn.stream,
      },
    };
  },

  /** Ended by `response.completed` or `response.incomplete`, though more may follow. */
  createReader(emit, response: ResponseInfo) {
    let begun = false;
    let refused = false;
    /** By item id; some servers give none, then by call id. */
    const calls = new Map<unknown, { index: number; told: boolean }>();
    let latest: { index: number; told: boolean } | undefined;

    function say(type: 'text' | 'reasoning', value: unknown): WireEvent[] {
      const said = stringOf(value);
      begun ||= said !== undefined;
      return said === undefined ? [] : [{ type, text: said }];
    }

    /** A call that begins or is complete; its arguments are told once, in pieces or here. */
    function readCall(item: unknown): WireEvent[] {
      begun = true;
      const key = field(item, 'id') ?? field(item, 'call_id');
      const known = calls.get(key);
      const call = known ?? { index: calls.size, told: false };
      calls.set(key, call);
      latest = call;
      const source = call.told ? undefined : stringOf(field(item, 'arguments'));
      call.told ||= source !== undefined;
      if (known) return source === undefined ? [] : [callPiece(call.index, undefined, undefined, source)];
      return [callPiece(call.index, field(item, 'call_id') ?? key, field(item, 'name'), source)];
    }

    function readItem(item: unknown): WireEvent[] {
      if (field(item, 'type') === 'function_call') return readCall(item);
      const kind = field(item, 'type') === 'reasoning' ? 'reasoning' : 'text';
      return [...arrayOf(field(item, 'summary')), ...arrayOf(field(item, 'content'))].flatMap((part) => {
        refused ||= field(part, 'type') === 'refusal';
        return say(kind, field(part, 'text') ?? field(part, 'refusal'));
      });
    }

    /** The response at its end. What was not streamed is taken from it. */
    function readWhole(body: unknown): WireEvent[] {
      const output = field(body, 'output');
      const events = begun ? [] : arrayOf(output).flatMap(readItem);
      const usage = readUsage(field(body, 'usage'), field(body, 'model'));
      if (usage) events.push(usage);
      const status = field(body, 'status');
      if (status === 'failed') return [...events, readError({ error: field(body, 'error') ?? {} })];
      const finish = status === 'incomplete' ? whyIncomplete(body) : (readFinish(status) ?? 'stop');
      return [...events, finishEvent(refused && finish !== 'aborted' ? 'content-filter' : finish, calls.size)];
    }

    function readEvent(data: unknown, name: string | undefined): WireEvent[] {
      const kind = stringOf(field(data, 'type')) ?? name;
      switch (kind) {
        case 'response.output_text.delta':
          return say('text', field(data, 'delta'));
        case 'response.refusal.delta':
          refused = true;
          return say('text', field(data, 'delta'));
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return say('reasoning', field(data, 'delta'));
        case 'response.reasoning_summary_part.added':
          return field(data, 'summary_index') ? say('reasoning', '\n\n') : [];
        case 'response.output_item.added':
        case 'response.output_item.done':
          return field(field(data, 'item'), 'type') === 'function_call' ? readCall(field(data, 'item')) : [];
        case 'response.function_call_arguments.delta': {
          const call = calls.get(field(data, 'item_id')) ?? latest;
          const source = stringOf(field(data, 'delta'));
          if (!call || source === undefined) return [];
          call.told = true;
          return [callPiece(call.index, undefined, undefined, source)];
        }
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          return readWhole({ ...(field(data, 'response') as object), status: statusOf(kind, field(field(data, 'response'), 'status')) });
        default:
          return kind === 'error' || (field(data, 'error') ?? undefined) !== undefined ? [readError(data)] : [];
      }
    }

    const events = jsonFrames(response, readEvent);
    return createBodyReader(emit, response, {
      frame: (source, name) => (source.trim() === '[DONE]' ? [] : events(source, name)),
      json(body) {
        if (Array.isArray(field(body, 'output'))) return readWhole(body);
        return readWholeError(body);
      },
    });
  },
};

/** Some servers leave the status out or never change it, so the event tells it, unless the status says that the response is not whole. */
function statusOf(kind: string, status: unknown): unknown {
  const isBroken = kind === 'response.completed' && ['incomplete', 'failed', 'cancelled'].includes(String(status));
  return isBroken ? status : kind.slice('response.'.length);
}

/** Servers that give no reason stop at the limit; a reason that nobody knows proves nothing. */
function whyIncomplete(body: unknown): Finish {
  const reason = field(field(body, 'incomplete_details'), 'reason');
  return reason === 'max_messages' || reason === 'steered' ? 'length' : (readFinish(reason) ?? 'length');
}

function write({ role, text: content, images, calls, answers }: Said): object[] {
  if (answers) return [{ type: 'function_call_output', call_id: answers.id, output: content }];
  const asked = calls.map(({ id, name, arguments: args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  }));
  // Some servers cannot tell what an assistant's item is without its type.
  const type = role === 'assistant' ? { type: 'message' } : {};
  if (images.length === 0) return content === '' ? asked : [{ ...type, role, content }, ...asked];
  const pictures = images.map(({ url }) => ({ type: 'input_image', image_url: url, detail: 'auto' }));
  return [{ role, content: [...(content === '' ? [] : [{ type: 'input_text', text: content }]), ...pictures] }];
}
