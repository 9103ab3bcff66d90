/** The scripted model behind an endpoint: for each API format, the responses of a service that speaks it. No network, no key. */
import { createScriptedModel, ScriptedFault } from './model.js';
import type { ScriptedCall, ScriptedModelOptions, ScriptedPiece } from './model.js';
import { agUi } from './wires/ag-ui.js';
import { anthropic } from './wires/anthropic.js';
import { cutie } from './wires/cutie.js';
import { gemini } from './wires/gemini.js';
import { ollama } from './wires/ollama.js';
import { openaiResponses } from './wires/openai-responses.js';
import { openai } from './wires/openai.js';
import { plainText } from './wires/text.js';
import { uiMessageStream } from './wires/ui-message-stream.js';
import { BadRequest } from './wires/wire.js';
import type { ParsedRequest, ScriptedWire } from './wires/wire.js';

const wires = {
  cutie,
  openai,
  'openai-responses': openaiResponses,
  anthropic,
  ollama,
  gemini,
  'ui-message-stream': uiMessageStream,
  'ag-ui': agUi,
  text: plainText,
} as const satisfies Record<string, ScriptedWire>;

export type ScriptedWireId = keyof typeof wires;

export const scriptedWireIds = Object.keys(wires) as readonly ScriptedWireId[];

/** The usual URL path of each API format, with its query. */
export const scriptedPaths = Object.fromEntries(scriptedWireIds.map((id) => [id, wires[id].path])) as Readonly<
  Record<ScriptedWireId, string>
>;

/**
 * An `AbortSignal` as the second argument stops the model; a stream that its reader cancels stops it as well. Servers pass other things there,
 * which are ignored: `serve({ fetch: scriptedEndpoint('openai') })`.
 */
export type ScriptedEndpoint = (request: Request, signal?: unknown) => Promise<Response>;

/**
 * Answers POST requests of one wire, streamed or as one JSON body as the request requires. A request that the real service would refuse
 * gets 400 with the reason. Its usage counts one token for four characters.
 *
 * @example
 * createConversation({ endpoint: 'https://example.org/v1/messages', wire: 'anthropic',
 *   fetch: (url, init) => endpoint(new Request(url, init)) });
 */
export function scriptedEndpoint(wire: ScriptedWireId, options: ScriptedModelOptions = {}): ScriptedEndpoint {
  const service: ScriptedWire = wires[wire];
  const model = createScriptedModel(options);

  return async (request, signal) => {
    let asked: ParsedRequest;
    try {
      asked = service.read(await readJson(request), { url: new URL(request.url), headers: request.headers });
    } catch (error) {
      if (error instanceof BadRequest) return refuse(service, 400, error.message);
      throw error;
    }
    const answer = model(asked, signal instanceof AbortSignal ? signal : undefined)[Symbol.asyncIterator]();
    try {
      const first = await answer.next();
      return asked.stream || !service.whole ? stream(service, asked, first, answer) : await whole(service, asked, first, answer);
    } catch (error) {
      if (error instanceof ScriptedFault && error.status !== undefined)
        return refuse(service, error.status, `The scripted model answers ${error.status}.`);
      throw error;
    }
  };
}

async function readJson(request: Request): Promise<unknown> {
  if (request.method !== 'POST') throw new BadRequest('Only POST is answered');
  try {
    return await request.json();
  } catch {
    throw new BadRequest('The body is not JSON');
  }
}

function refuse(service: ScriptedWire, status: number, message: string): Response {
  const headers: Record<string, string> = status === 429 || status === 503 ? { 'retry-after': '2' } : {};
  const body = service.refuse(status, message);
  return typeof body === 'string'
    ? new Response(body, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
    : Response.json(body, { status, headers });
}

type Step = IteratorResult<ScriptedPiece>;

function stream(service: ScriptedWire, asked: ParsedRequest, first: Step, answer: AsyncIterator<ScriptedPiece>): Response {
  const encoder = new TextEncoder();
  const speech = service.speak(asked);
  const spoken = keepCount(asked);
  let step = first;
  let pending = speech.start;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string) => {
        if (pending + text) controller.enqueue(encoder.encode(pending + text));
        pending = '';
      };
      if (step.done) {
        send(speech.end(spoken.sum()));
        controller.close();
        return;
      }
      spoken.add(step.value);
      send(typeof step.value === 'string' ? speech.text(step.value) : speech.call(step.value));
      try {
        step = await answer.next();
      } catch (error) {
        // A fault closes the stream without an end mark. Any other error is the caller's abort.
        if (error instanceof ScriptedFault) controller.close();
        else controller.error(error);
      }
    },
    cancel: () => void answer.return?.(),
  });
  return new Response(body, { headers: { 'content-type': service.contentType, ...service.headers } });
}

async function whole(service: ScriptedWire, asked: ParsedRequest, first: Step, answer: AsyncIterator<ScriptedPiece>): Promise<Response> {
  const spoken = keepCount(asked);
  const json = () => JSON.stringify(service.whole!(asked, spoken.sum()));
  const respond = (body: string) => new Response(body, { headers: { 'content-type': 'application/json' } });
  try {
    for (let step = first; !step.done; step = await answer.next()) spoken.add(step.value);
  } catch (error) {
    if (error instanceof ScriptedFault && error.status === undefined) return respond(json().slice(0, -10));
    throw error;
  }
  return respond(json());
}

/** Collects the reply so far. */
function keepCount(asked: ParsedRequest) {
  const texts: string[] = [];
  const calls: ScriptedCall[] = [];
  return {
    add(piece: ScriptedPiece): void {
      if (typeof piece === 'string') texts.push(piece);
      else calls.push(piece);
    },
    sum() {
      const text = texts.join('');
      const usage = { input: tokens(JSON.stringify(asked)), output: tokens(text + (calls.length > 0 ? JSON.stringify(calls) : '')) };
      return { text, calls, usage };
    },
  };
}

const tokens = (text: string) => Math.ceil(text.length / 4);
