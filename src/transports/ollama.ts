/** Ollama's own `/api/chat` with rows of JSON. Its `/v1` supports the `openai` wire, but loses errors; this one does not. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, arrayOf, partsOf, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { imageWithData, readMessages } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import { declaredTools, toolCallEvent } from './native-tools.js';
import type { Wire, WireEvent } from './wire.js';

export const ollama: Wire = {
  id: 'ollama',
  images: imageWithData,

  request(turn, endpoint) {
    const system = turn.system === '' ? [] : [{ role: 'system', content: turn.system }];
    const tools = declaredTools(turn);
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'application/x-ndjson' : 'application/json' },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        messages: [...system, ...readMessages(turn, imageWithData).map(write)],
        ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
        stream: turn.stream,
        options: { num_predict: turn.maxTokens, ...(turn.temperature !== undefined && { temperature: turn.temperature }) },
      },
    };
  },

  /** Creates a reader. Only the row with `done: true` ends the reply; a close without it means that the reply was cut. */
  createReader(emit, response: ResponseInfo) {
    let calls = 0;

    function readRow(row: unknown): WireEvent[] {
      if ((field(row, 'error') ?? undefined) !== undefined) return [readError(row)];
      const message = field(row, 'message');
      const events: WireEvent[] = [];
      const reasoning = stringOf(field(message, 'thinking'));
      if (reasoning !== undefined) events.push({ type: 'reasoning', text: reasoning });
      // Some gateways answer with the rows of `/api/generate`.
      events.push(...partsOf(field(message, 'content') ?? field(row, 'response')));
      for (const call of arrayOf(field(message, 'tool_calls'))) {
        const made = field(call, 'function');
        events.push(toolCallEvent(calls++, field(call, 'id'), field(made, 'name'), field(made, 'arguments')));
      }
      if (field(row, 'done') !== true) return events;

      const usage = usageEvent(field(row, 'prompt_eval_count'), field(row, 'eval_count'), field(row, 'model'));
      if (usage) events.push(usage);
      events.push(finishEvent(readFinish(field(row, 'done_reason')) ?? 'stop', calls));
      return events;
    }

    return createBodyReader(emit, response, {
      rows: true,
      frame: jsonFrames(readRow),
      json: (body) => {
        const events = readRow(body);
        const last = events.at(-1)?.type;
        return last === 'finish' || last === 'error' ? events : [];
      },
    });
  },
};

function write({ role, text: content, images, calls, answers }: NormalizedMessage): object {
  if (answers) return { role, tool_name: answers.name, tool_call_id: answers.id, content };
  return {
    role,
    content,
    ...(images.length > 0 && { images: images.map(({ data }) => data) }),
    ...(calls.length > 0 && { tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, function: { name, arguments: args } })) }),
  };
}
