/** Gemini `generateContent` and `streamGenerateContent`: complete responses, each with a piece of the text. */
import * as z from 'zod/mini';
import type { ScriptedMessage } from '../scripted-request.js';
import type { ScriptedCall } from '../model.js';
import { BadRequest, check, schemaOfArguments, toolMessage, temperature } from './wire.js';
import type { ScriptedWire, Usage } from './wire.js';

const object = z.record(z.string(), z.unknown());

const part = z.strictObject({
  text: z.optional(z.string()),
  functionCall: z.optional(z.strictObject({ id: z.optional(z.string()), name: z.string(), args: z.optional(object) })),
  functionResponse: z.optional(z.strictObject({ id: z.optional(z.string()), name: z.string(), response: object })),
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(z.string()),
  inlineData: z.optional(z.unknown()),
  fileData: z.optional(z.unknown()),
});

const request = z.strictObject({
  contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).check(z.minLength(1)) })).check(z.minLength(1)),
  systemInstruction: z.optional(z.strictObject({ role: z.optional(z.string()), parts: z.array(part) })),
  generationConfig: z.optional(
    z.strictObject({
      maxOutputTokens: z.optional(z.int()),
      temperature: temperature(2),
      thinkingConfig: z.optional(z.looseObject({})),
    }),
  ),
  tools: z.optional(
    z.array(
      z.strictObject({
        functionDeclarations: z.array(
          z.strictObject({
            name: z.string().check(z.regex(/^[A-Za-z_][\w.:-]{0,127}$/)),
            description: z.string(),
            parametersJsonSchema: z.optional(schemaOfArguments),
          }),
        ),
      }),
    ),
  ),
  toolConfig: z.optional(z.unknown()),
});

export const gemini: ScriptedWire = {
  path: '/v1beta/models/scripted:streamGenerateContent?alt=sse',
  contentType: 'text/event-stream',

  read(body, { url }) {
    const [, model, method] = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(url.pathname) ?? [];
    if (model === undefined) throw new BadRequest('The address names no model and method');
    const stream = method === 'streamGenerateContent';
    if (stream && url.searchParams.get('alt') !== 'sse') throw new BadRequest('Without alt=sse the answer is one JSON list');
    const { contents, systemInstruction, tools } = check(request, body);
    const declared = tools?.flatMap((tool) => tool.functionDeclarations);
    return {
      system: (systemInstruction?.parts ?? []).map(({ text = '' }) => text).join('\n\n'),
      messages: contents.flatMap(readContent()),
      ...(declared && {
        tools: declared.map(({ parametersJsonSchema: parameters, ...tool }) => ({ ...tool, ...(parameters && { parameters }) })),
      }),
      model,
      stream,
    };
  },

  speak({ model }) {
    const event = (parts: object[], more: object = {}) => `data: ${JSON.stringify(response(model, parts, more))}\r\n\r\n`;
    return {
      start: '',
      text: (text) => event([{ text }]),
      call: (call) => event([callOf(call)]),
      // There is no end mark: the stream ends after the chunk with the finish reason.
      end: ({ usage }) => event([{ text: '' }], { finishReason: 'STOP', usage }),
    };
  },

  whole: ({ model }, { text, calls, usage }) =>
    response(model, [...(text ? [{ text }] : []), ...calls.map(callOf)], { finishReason: 'STOP', usage }),
  refuse: (code, message) => ({ error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' } }),
};

/** Calls have no id: name and order identify them. */
const callOf = ({ name, arguments: args }: ScriptedCall) => ({ functionCall: { name, args } });

function response(model: string, parts: object[], { finishReason, usage }: { finishReason?: string; usage?: Usage }): object {
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(finishReason && { finishReason }), index: 0 }],
    ...(usage && {
      usageMetadata: {
        promptTokenCount: usage.input,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
    }),
    modelVersion: model,
    responseId: 'scripted',
  };
}

/** Reads turns in order and checks that results follow their calls. */
function readContent() {
  let open: string[] = [];
  return ({ role, parts }: z.infer<typeof request>['contents'][number]): ScriptedMessage[] => {
    const said: ScriptedMessage[] = [];
    const called: string[] = [];
    let words = '';
    for (const { text = '', functionCall, functionResponse } of parts) {
      words += text;
      if (functionCall) {
        if (role === 'user') throw new BadRequest('A function call stands in a user turn');
        called.push(functionCall.name);
      }
      if (!functionResponse) continue;
      const { name, response: told } = functionResponse;
      if (!open.includes(name)) throw new BadRequest(`A response of ${name}, which was not called`);
      open.splice(open.indexOf(name), 1);
      const failed = Object.hasOwn(told, 'error');
      const value = failed ? told['error'] : told['result'];
      said.push(toolMessage(name, typeof value === 'string' ? value : JSON.stringify(value ?? told), failed));
    }
    if (open.length > 0) throw new BadRequest('Every function call has to be answered in the next turn');
    open = called;
    return words ? [...said, { role: role === 'model' ? 'assistant' : 'user', text: words }] : said;
  };
}
