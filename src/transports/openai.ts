/** OpenAI chat completions, and the many servers that speak them. Tools are taught in the prompt: this wire never sends `tools`. */
import { createBodyReader } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, normalizeFinish, parseJson, readError, readUsage, text } from './fields.js';
import { readWholeReply } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const openai: Wire = {
  id: 'openai',

  request(turn, endpoint) {
    const system = turn.system === '' ? [] : [{ role: 'system', content: turn.system }];
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'text/event-stream' : 'application/json' },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        messages: [...system, ...turn.messages.map((message) => ({ role: message.role, content: message.text }))],
        [lengthField(endpoint)]: turn.maxTokens,
        stream: turn.stream,
        ...(turn.stream && { stream_options: { include_usage: true } }),
      },
    };
  },

  /**
   * Ended by a `finish_reason` and then `[DONE]` or a clean close; `[DONE]` alone leaves it unproved (contract §7 A). An error frame
   * ends it as failed, whatever follows: routers send `[DONE]` after it.
   */
  createReader(emit, response: ResponseInfo) {
    let finish: Finish | undefined;

    return createBodyReader(emit, response, {
      json: readWholeReply,
      frame(source, name) {
        if (source.trim() === '[DONE]') return [{ type: 'finish', finish: finish ?? 'unknown', proved: finish !== undefined }];
        const chunk = parseJson(source);
        if (chunk === undefined) {
          if (name === 'error') return [{ type: 'error', message: source }];
          if (source !== '') response.warn?.('A frame that is not JSON was left out');
          return [];
        }
        const error = field(chunk, 'error');
        if ((error !== undefined && error !== null) || name === 'error' || field(chunk, 'object') === 'error') return [readError(chunk)];

        const events: WireEvent[] = [];
        const choice = field(field(chunk, 'choices'), 0); // the chunk with the usage has no choices at all
        const delta = field(choice, 'delta');
        const reasoning = text(field(delta, 'reasoning_content') ?? field(delta, 'reasoning')); // never both: some gateways send it twice
        if (reasoning !== undefined) events.push({ type: 'reasoning', text: reasoning });
        const content = text(field(delta, 'content'));
        if (content !== undefined) events.push({ type: 'text', text: content });
        events.push(...toolEvents(field(delta, 'tool_calls')));
        const reason = text(field(choice, 'finish_reason'));
        if (reason !== undefined) finish = normalizeFinish(reason);
        const usage = readUsage(field(chunk, 'usage'), field(chunk, 'model'));
        if (usage) events.push(usage);
        return events;
      },
      closed: () => (finish === undefined ? [] : [{ type: 'finish', finish, proved: true }]),
    });
  },
};

/** OpenAI itself wants the new name, and its reasoning models refuse the old one; nearly everybody else knows only the old one. */
function lengthField(endpoint: URL): 'max_completion_tokens' | 'max_tokens' {
  return endpoint.hostname === 'api.openai.com' || endpoint.hostname.endsWith('.openai.azure.com') ? 'max_completion_tokens' : 'max_tokens';
}

function toolEvents(calls: unknown): WireEvent[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown, position): WireEvent => {
    const index = field(call, 'index');
    const id = text(field(call, 'id'));
    const name = text(field(field(call, 'function'), 'name'));
    const args = text(field(field(call, 'function'), 'arguments'));
    return {
      type: 'tool',
      index: typeof index === 'number' ? index : position,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(args !== undefined && { arguments: args }),
    };
  });
}
