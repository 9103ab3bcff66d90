/** Gemini's `streamGenerateContent`: every frame is a complete response with a piece of the text, and there is no end marker. */
import { createBodyReader, jsonFrames } from './body.js';
import type { ResponseInfo } from './body.js';
import { field, finishEvent, arrayOf, readError, readFinish, stringOf, usageEvent } from './read-fields.js';
import { imageWithData, readMessages, mergeTurns, MISSING_START } from './wire-messages.js';
import type { NormalizedMessage } from './wire-messages.js';
import { declaredTools, LOST_ARGUMENTS, toolCallEvent } from './native-tools.js';
import type { Finish, Wire, WireEvent } from './wire.js';

export const gemini: Wire = {
  id: 'gemini',
  images: imageWithData,

  /**
   * Builds the request. The method and `alt=sse` are corrected in the address. It also contains the model, because there is no field for
   * it.
   */
  request(turn, endpoint) {
    const url = new URL(endpoint);
    const model = turn.model?.replace(/^models\//, '');
    const method = turn.stream ? ':streamGenerateContent' : ':generateContent';
    url.pathname = url.pathname
      .replace(/:(?:streamG|g)enerateContent$/, method)
      .replace(/(?<=\/models\/)[^/]+(?=:\w+$)/, (named) => (model === undefined ? named : encodeURIComponent(model)));
    if (turn.stream) url.searchParams.set('alt', 'sse');
    else url.searchParams.delete('alt');
    const tools = declaredTools(turn);
    const said = readMessages(turn, imageWithData);
    return {
      url,
      headers: { 'content-type': 'application/json', accept: turn.stream ? 'text/event-stream' : 'application/json' },
      body: {
        ...(turn.system !== '' && { systemInstruction: { parts: [{ text: turn.system }] } }),
        contents: mergeTurns<object>(said, write, { text: MISSING_START }).map(({ user, parts }) => ({
          role: user ? 'user' : 'model',
          parts,
        })),
        ...(tools && {
          tools: [
            {
              functionDeclarations: tools.map(({ name, description, parameters }) => ({
                name,
                description,
                parametersJsonSchema: parameters,
              })),
            },
          ],
        }),
        generationConfig: { maxOutputTokens: turn.maxTokens, ...(turn.temperature !== undefined && { temperature: turn.temperature }) },
      },
    };
  },

  /** Creates a reader. A `finishReason` or a rejected prompt, and then a clean close, end the reply. */
  createReader(emit, response: ResponseInfo) {
    let usage: WireEvent | undefined;
    let finish: Finish | undefined;
    let calls = 0;
    const known = () => (usage ? [usage] : []);

    function readPart(part: unknown): WireEvent[] {
      const call = field(part, 'functionCall');
      if (call !== undefined) {
        const signature = stringOf(field(part, 'thoughtSignature'));
        // Arguments in pieces are not requested, and cannot be read.
        const isPartial = field(call, 'partialArgs') !== undefined || field(call, 'willContinue') === true;
        const args = isPartial ? LOST_ARGUMENTS : field(call, 'args');
        const event = toolCallEvent(calls++, field(call, 'id'), field(call, 'name'), args);
        return [{ ...event, ...(signature !== undefined && { signature }) }];
      }
      const content = stringOf(field(part, 'text'));
      return content === undefined ? [] : [{ type: field(part, 'thought') === true ? 'reasoning' : 'text', text: content }];
    }

    function readResponse(data: unknown, name?: string): WireEvent[] {
      const counts = field(data, 'usageMetadata');
      // Each report replaces the previous one.
      usage = usageEvent(field(counts, 'promptTokenCount'), field(counts, 'candidatesTokenCount'), field(data, 'modelVersion')) ?? usage;
      if ((field(data, 'error') ?? undefined) !== undefined || name === 'error') return [...known(), readError(data)];

      const candidate = field(field(data, 'candidates'), 0);
      const events = arrayOf(field(field(candidate, 'content'), 'parts')).flatMap(readPart);
      if (stringOf(field(field(data, 'promptFeedback'), 'blockReason')) !== undefined) finish = 'content-filter';
      const reason = stringOf(field(candidate, 'finishReason'));
      if (reason !== undefined && mistakes.includes(reason.toUpperCase())) {
        return [
          ...events,
          ...known(),
          { type: 'error', message: stringOf(field(candidate, 'finishMessage')) ?? '', code: reason, retryable: true },
        ];
      }
      finish = readFinish(reason) ?? finish;
      return events;
    }

    const closed = () => (finish === undefined ? known() : [...known(), finishEvent(finish, calls)]);

    return createBodyReader(emit, response, {
      frame: jsonFrames(readResponse),
      closed,
      /** Reads one response, or an array of responses: a stream without `alt=sse`. */
      json(body) {
        const events = (Array.isArray(body) ? arrayOf(body) : [body]).flatMap((one) => readResponse(one));
        if (events.at(-1)?.type === 'error' || finish !== undefined) return [...events, ...closed()];
        return [];
      },
    });
  },
};

/** Finish reasons for invalid native tool calls. Tool calls taught in the prompt can provoke them. */
const mistakes = ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE'];

function write({ text: content, images, calls, answers }: NormalizedMessage): object[] {
  if (answers) {
    const { id, name, failed } = answers;
    return [{ functionResponse: { id, name, response: failed ? { error: content } : { result: content } } }];
  }
  return [
    ...(content.trim() === '' ? [] : [{ text: content }]),
    ...images.map(({ mediaType, data }) => ({ inlineData: { mimeType: mediaType, data } })),
    ...calls.map(({ id, name, arguments: args, signature }) => ({
      functionCall: { id, name, args },
      // A signature that begins with `{` is from another wire.
      ...(signature !== undefined && !signature.startsWith('{') && { thoughtSignature: signature }),
    })),
  ];
}
