/** OpenAI chat completions, and the many servers with the same API. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import {
  arrayOf,
  field,
  finishEvent,
  partsOf,
  readError,
  readFinish,
  readUsage,
  reasoningOf,
  spokenWords,
  stringOf,
} from './read-fields.js';
import { anyImage, readMessages } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import { createCallReader, declaredTools } from './native-tools.js';
import { readWholeReply } from './whole-reply.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const openai: Wire = {
  id: 'openai',
  images: anyImage,

  request(turn, endpoint) {
    const system = turn.system === '' ? [] : [{ role: 'system', content: turn.system }];
    const tools = declaredTools(turn);
    return {
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'text/event-stream' : 'application/json' },
      body: {
        ...(turn.model !== undefined && { model: turn.model }),
        messages: [...system, ...readMessages(turn, anyImage).map(write)],
        ...(tools && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
        [lengthField(endpoint)]: turn.maxTokens,
        ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        ...(turn.grammar !== undefined && { grammar: turn.grammar }),
        ...(turn.replySchema && {
          response_format: { type: 'json_schema', json_schema: { name: 'call', schema: turn.replySchema } },
        }),
        stream: turn.stream,
        ...(turn.stream && { stream_options: { include_usage: true } }),
      },
    };
  },

  /**
   * Creates a reader. A `finish_reason` and then `[DONE]` or a clean close end the reply; `[DONE]` alone leaves the end unproved. An error
   * frame fails the reply, whatever follows: routers send `[DONE]` after it.
   */
  createReader(emit, response: ResponseInfo) {
    let finish: Finish | undefined;
    let refused = false;
    let said = false;
    const reader = createCallReader();
    const repetition = createRepetitionFilter();
    const isAnswer = createChoiceFilter();
    const end = (reason: Finish) => finishEvent(refused ? 'content-filter' : reason, reader.calls);

    const chunks = jsonFrames((chunk, name) => {
      const error = field(chunk, 'error');
      if ((error !== undefined && error !== null) || name === 'error' || field(chunk, 'object') === 'error') return [readError(chunk)];

      const events: WireEvent[] = [];
      const choice = arrayOf(field(chunk, 'choices')).find(isAnswer); // the chunk with the usage has no choices
      // A server that ignores `stream` sends the complete message in one event. If pieces have come, it contains nothing new.
      const message = field(choice, 'message');
      const delta = field(choice, 'delta') ?? (said ? undefined : message);
      const reasoning = reasoningOf(delta).replace(STOP, '');
      if (reasoning !== '') events.push({ type: 'reasoning', text: reasoning });
      const refusal = stringOf(field(delta, 'refusal'));
      refused ||= refusal !== undefined;
      const content = repetition.read(partsOf(field(delta, 'content')));
      events.push(...(content.length > 0 ? content : partsOf(refusal ?? spokenWords(delta))));
      const old = field(delta, 'function_call') ?? undefined;
      if (delta !== message) events.push(...reader.pieces(field(delta, 'tool_calls')));
      if (old !== undefined) events.push(...reader.pieces([{ function: old }]));
      // Some servers send the arguments only here, in the last chunk.
      events.push(...reader.whole(field(message, 'tool_calls')));
      said ||= events.length > 0;
      finish = readFinish(field(choice, 'finish_reason')) ?? finish;
      const usage = readUsage(field(chunk, 'usage'), field(chunk, 'model'));
      if (usage) events.push(usage);
      return events;
    });

    return createBodyReader(emit, response, {
      json: (body) => readWholeReply(body, reader.pieces),
      frame(source, name) {
        if (source.trim() !== '[DONE]') return chunks(source, name);
        return [finish === undefined ? { type: 'finish', finish: 'unknown', proved: false } : end(finish)];
      },
      closed: () => (finish === undefined ? [] : [end(finish)]),
    });
  },
};

/**
 * Creates a check for the choice that is the answer: the first one. A further choice begins with an empty piece under an index of its own.
 * The index alone proves nothing, because some servers increase it with every chunk.
 */
function createChoiceFilter(): (choice: unknown) => boolean {
  let first: unknown;
  const others = new Set<unknown>();
  return (choice) => {
    const [index, delta] = [field(choice, 'index'), field(choice, 'delta')];
    first ??= index;
    if (index === first) return true;
    const isEmpty =
      partsOf(field(delta, 'content')).length === 0 && reasoningOf(delta) === '' && !arrayOf(field(delta, 'tool_calls')).length;
    if (isEmpty && field(delta, 'role') && !field(choice, 'finish_reason')) others.add(index);
    return !others.has(index);
  };
}

/** A token with which a template ends an answer. Some servers leave it in the reasoning. */
const STOP = /<[|｜][\w▁]{1,30}[|｜]>$/;

/** Minimum length of an answer of which a repetition is recognized. Shorter ones may repeat themselves. */
const SHORTEST_REPEATED = 16;

/**
 * Drops the last piece of an answer if it repeats all pieces before it: some servers send the complete answer once more at the end. Such a
 * piece is held until another one shows that it is not the last.
 */
function createRepetitionFilter(): { read(parts: WireEvent[]): WireEvent[] } {
  const pieces: string[] = [];
  let length = 0;
  let held: WireEvent[] = [];
  return {
    read(parts) {
      const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
      if (text === '') return parts;
      const released = held;
      const isAgain = pieces.length > 1 && length >= SHORTEST_REPEATED && text.length === length && pieces.join('') === text;
      held = isAgain ? parts : [];
      pieces.push(text);
      length += text.length;
      return isAgain ? released : [...released, ...parts];
    },
  };
}

function write({ role, text: content, images, calls, answers }: NormalizedMessage): object {
  if (answers) return { role, tool_call_id: answers.id, content };
  if (images.length > 0) {
    const pictures = images.map(({ url }) => ({ type: 'image_url', image_url: { url } }));
    return { role, content: [...(content === '' ? [] : [{ type: 'text', text: content }]), ...pictures] };
  }
  if (calls.length === 0) return { role, content };
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    })),
  };
}

/**
 * Returns the name of the length field. OpenAI requires the new name, and its reasoning models reject the old one; most other services know
 * only the old one.
 */
function lengthField(endpoint: URL): 'max_completion_tokens' | 'max_tokens' {
  return endpoint.hostname === 'api.openai.com' || endpoint.hostname.endsWith('.openai.azure.com') ? 'max_completion_tokens' : 'max_tokens';
}
