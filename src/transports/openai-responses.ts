/** OpenAI Responses, and local servers with the same API. The service stores nothing: every request contains the conversation. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, arrayOf, readError, readFinish, readUsage, stringOf } from './read-fields.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import { argumentSource, toolCallDelta, declaredTools, LOST_ARGUMENTS, remainingArguments } from './native-tools.js';
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
        // `strict` defaults to true here, which would require every parameter of every tool.
        ...(tools && { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) }),
        max_output_tokens: Math.max(16, turn.maxTokens), // the service rejects less
        ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        store: false,
        stream: turn.stream,
      },
    };
  },

  /** Creates a reader. `response.completed` or `response.incomplete` ends the reply, though more may follow. */
  createReader(emit, response: ResponseInfo) {
    let begun = false;
    let refused = false;
    /** The places in the output whose text has come. Some servers omit the place. */
    const told = new Set<unknown>();
    const calls: Call[] = [];
    /** True if pieces of arguments came that belong to no call. */
    let isLost = false;

    function say(type: 'text' | 'reasoning', value: unknown): WireEvent[] {
      const said = stringOf(value);
      begun ||= said !== undefined;
      return said === undefined ? [] : [{ type, text: said }];
    }

    /**
     * Returns the call that an event refers to. The place in the output is the most reliable: some servers give an item another id in every
     * event, and some send no place, or no id.
     */
    function callOf(place: unknown, id: unknown, callId: unknown): Call | undefined {
      const isSame = (left: unknown, right: unknown) => typeof right !== 'object' && right !== undefined && left === right;
      const placed = calls.findLast((call) => isSame(call.place, place));
      if (placed && (callId === undefined || placed.callId === undefined || placed.callId === callId)) return placed;
      return calls.find((call) => isSame(call.callId, callId)) ?? calls.find((call) => isSame(call.id, id));
    }

    /** Reads a call that begins or is complete. */
    function readCall(item: unknown, place: unknown): WireEvent[] {
      begun = true;
      const [id, callId] = [stringOf(field(item, 'id')), stringOf(field(item, 'call_id'))];
      const source = argumentSource(field(item, 'arguments')) ?? '';
      const known = callOf(place, id, callId);
      if (known) return tellRest(known, source);
      const call: Call = { index: calls.length, place, id, callId, name: stringOf(field(item, 'name')), source };
      calls.push(call);
      return [toolCallDelta(call.index, callId ?? id, call.name, source)];
    }

    /** Emits the part of complete arguments that has not come in pieces. */
    function tellRest(call: Call, whole: string): WireEvent[] {
      const missing = call.isContradicted ? '' : remainingArguments(call.source, whole);
      if (missing === '') return [];
      call.isContradicted = missing === whole && call.source !== '';
      return tell(call, missing);
    }

    function tell(call: Call, source: string): WireEvent[] {
      call.source += source;
      return [toolCallDelta(call.index, undefined, undefined, source)];
    }

    /** Returns the call that a piece belongs to. A piece without a reference belongs to the most recent call. */
    function callOfPiece(data: unknown): Call | undefined {
      const [place, id, callId] = [field(data, 'output_index'), field(data, 'item_id'), field(data, 'call_id')];
      const known = callOf(place, id, callId);
      const silent = calls.filter(({ source }) => source === '');
      const latest = place === undefined ? calls.at(-1) : silent.length === 1 ? silent[0] : undefined;
      const call = known ?? latest;
      // Later events with this number refer to the same call.
      if (call && !known)
        [call.id, call.place] = [stringOf(id) ?? call.id, stringOf(id) === undefined ? (place ?? call.place) : call.place];
      isLost ||= call === undefined;
      return call;
    }

    /** Reads calls of the complete response that were not streamed, or not with all of their arguments. */
    function readOutput(item: unknown, position: number, output: readonly unknown[]): WireEvent[] {
      const callId = stringOf(field(item, 'call_id'));
      const name = stringOf(field(item, 'name'));
      const source = argumentSource(field(item, 'arguments')) ?? '';
      // The output may be shorter than the streamed calls, and its ids may differ. The same call must not run twice.
      const same =
        callOf(undefined, stringOf(field(item, 'id')), callId) ??
        calls.find((call) => call.name === name && remainingArguments(call.source, source) === '') ??
        calls.find((call) => call.name === name && call.place === position && (call.callId === undefined || callId === undefined)) ??
        calls.find((call) => call.name === name && call.source === '' && !output.some((one) => field(one, 'call_id') === call.callId));
      return same ? tellRest(same, source) : readCall(item, undefined);
    }

    function readItem(item: unknown): WireEvent[] {
      if (field(item, 'type') === 'function_call') return readCall(item, undefined);
      const kind = field(item, 'type') === 'reasoning' ? 'reasoning' : 'text';
      return [...arrayOf(field(item, 'summary')), ...arrayOf(field(item, 'content'))].flatMap((part) => {
        refused ||= field(part, 'type') === 'refusal';
        return say(kind, field(part, 'text') ?? field(part, 'refusal'));
      });
    }

    /** Reads the response at its end. Parts that were not streamed are taken from it. */
    function readWhole(body: unknown): WireEvent[] {
      const output = field(body, 'output');
      const wasBegun = begun;
      const events = arrayOf(output).flatMap((item, position, all) => {
        if (field(item, 'type') === 'function_call') return readOutput(item, position, all);
        return wasBegun ? [] : readItem(item);
      });
      if (isLost) {
        // A call without arguments may be the one whose pieces were lost.
        const silent = calls.filter(({ source }) => source === '');
        events.push(...silent.flatMap((call) => tell(call, LOST_ARGUMENTS)));
      }
      const usage = readUsage(field(body, 'usage'), field(body, 'model'));
      if (usage) events.push(usage);
      const status = field(body, 'status');
      if (status === 'failed') return [...events, readError({ error: field(body, 'error') ?? {} })];
      const finish = status === 'incomplete' ? whyIncomplete(body) : (readFinish(status) ?? 'stop');
      if (status === 'incomplete' && finish === 'unknown') return [...events, { type: 'finish', finish: 'length', proved: false }];
      return [...events, finishEvent(refused && finish !== 'aborted' ? 'content-filter' : finish, calls.length)];
    }

    /** Reads text that is complete. Some servers send it only so, or only with its item. */
    function readOnce(data: unknown, read: () => WireEvent[]): WireEvent[] {
      const place = field(data, 'output_index');
      const isTold = told.has(place) || told.has(undefined) || (place === undefined && told.size > 0);
      const events = isTold ? [] : read();
      if (events.length > 0) told.add(place);
      return events;
    }

    function readEvent(data: unknown, name: string | undefined): WireEvent[] {
      const kind = stringOf(field(data, 'type')) ?? name;
      const item = field(data, 'item');
      switch (kind) {
        case 'response.refusal.delta':
        case 'response.output_text.delta':
          refused ||= kind === 'response.refusal.delta';
          told.add(field(data, 'output_index'));
          return say('text', field(data, 'delta'));
        case 'response.output_text.done':
          return readOnce(data, () => say('text', field(data, 'text')));
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return say('reasoning', field(data, 'delta'));
        case 'response.reasoning_summary_part.added':
          return field(data, 'summary_index') ? say('reasoning', '\n\n') : [];
        case 'response.output_item.added':
        case 'response.output_item.done':
          if (field(item, 'type') === 'function_call') return readCall(item, field(data, 'output_index'));
          return kind.endsWith('done') && field(item, 'type') === 'message' ? readOnce(data, () => readItem(item)) : [];
        case 'response.function_call_arguments.delta': {
          const source = stringOf(field(data, 'delta'));
          const call = source === undefined ? undefined : callOfPiece(data);
          return call && source !== undefined ? tell(call, source) : [];
        }
        case 'response.function_call_arguments.done': {
          const source = argumentSource(field(data, 'arguments'));
          const call = source === undefined ? undefined : callOfPiece(data);
          return call && source !== undefined ? tellRest(call, source) : [];
        }
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          return readWhole({ ...(field(data, 'response') as object), status: statusOf(kind, field(field(data, 'response'), 'status')) });
        default:
          return kind === 'error' || (field(data, 'error') ?? undefined) !== undefined ? [readError(data)] : [];
      }
    }

    const events = jsonFrames(readEvent);
    return createBodyReader(emit, response, {
      frame: (source, name) => (source.trim() === '[DONE]' ? [] : events(source, name)),
      json(body) {
        if (Array.isArray(field(body, 'output'))) return readWhole(body);
        return readWholeError(body);
      },
    });
  },
};

interface Call {
  index: number;
  /** The place in the output; some servers omit it. */
  place: unknown;
  id: string | undefined;
  callId: string | undefined;
  name: string | undefined;
  /** The arguments so far. */
  source: string;
  isContradicted?: boolean;
}

/**
 * Returns the status of a response. Some servers omit or never change it, so the event decides, unless the status shows that the response
 * is incomplete.
 */
function statusOf(kind: string, status: unknown): unknown {
  const isBroken = kind === 'response.completed' && ['incomplete', 'failed', 'cancelled'].includes(String(status));
  return isBroken ? status : kind.slice('response.'.length);
}

/** Returns the reason of an incomplete response. Servers that give no reason stopped at the limit; an unknown reason proves nothing. */
function whyIncomplete(body: unknown): Finish {
  const reason = field(field(body, 'incomplete_details'), 'reason');
  return reason === 'max_messages' || reason === 'steered' ? 'length' : (readFinish(reason) ?? 'length');
}

function write({ role, text: content, images, calls, answers }: NormalizedMessage): object[] {
  if (answers) return [{ type: 'function_call_output', call_id: answers.id, output: content }];
  const asked = calls.map(({ id, name, arguments: args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  }));
  // Some servers do not recognize an assistant's item without its type.
  const type = role === 'assistant' ? { type: 'message' } : {};
  if (images.length === 0) return content === '' ? asked : [{ ...type, role, content }, ...asked];
  const pictures = images.map(({ url }) => ({ type: 'input_image', image_url: url, detail: 'auto' }));
  return [{ role, content: [...(content === '' ? [] : [{ type: 'input_text', text: content }]), ...pictures] }];
}
