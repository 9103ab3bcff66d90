/** The scripted model behind an OpenAI-compatible address: what a relay can take for its `upstream`. */
import { createScriptedModel, ScriptedFault } from './model.js';
import type { ScriptedModelOptions, ScriptedRequest } from './model.js';

const MODEL = 'scripted';

/** Answers `POST …/chat/completions` requests with `stream: true`; no network, no key. Characters stand for tokens in its usage, four to one. */
export function scriptedUpstream(options: ScriptedModelOptions = {}): (request: Request, signal: AbortSignal) => Promise<Response> {
  const model = createScriptedModel(options);

  return async (request, signal) => {
    const asked = readRequest(await request.json());
    const answer = model(asked, signal)[Symbol.asyncIterator]();
    let step: IteratorResult<string>;
    try {
      step = await answer.next();
    } catch (error) {
      if (error instanceof ScriptedFault && error.status !== undefined) return refuse(error.status);
      throw error;
    }

    const encoder = new TextEncoder();
    const usage = { prompt_tokens: tokens(JSON.stringify(asked)), completion_tokens: 0 };
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const send = (data: object | string) =>
          controller.enqueue(encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`));
        const chunk = (delta: object, finish_reason: string | null) =>
          send({ object: 'chat.completion.chunk', model: MODEL, choices: [{ index: 0, delta, finish_reason }] });
        if (!step.done) {
          usage.completion_tokens += tokens(step.value);
          chunk({ content: step.value }, null);
          try {
            step = await answer.next();
          } catch (error) {
            // Cut: closed without an end mark. Anything else is the caller's abort.
            if (error instanceof ScriptedFault) controller.close();
            else controller.error(error);
          }
          return;
        }
        chunk({}, 'stop');
        send({
          object: 'chat.completion.chunk',
          model: MODEL,
          choices: [],
          usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
        });
        send('[DONE]');
        controller.close();
      },
      cancel: () => void answer.return?.(),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

function readRequest(body: unknown): ScriptedRequest {
  const listed = (body as { messages?: { role: string; content: string }[] } | null)?.messages ?? [];
  return {
    system: listed
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n\n'),
    messages: listed.flatMap(({ role, content }) => (role === 'user' || role === 'assistant' ? [{ role, text: content } as const] : [])),
  };
}

function refuse(status: number): Response {
  const error = { message: `The scripted model answers ${status}.`, type: 'scripted_fault', code: null };
  return Response.json({ error }, { status, headers: status === 429 || status === 503 ? { 'retry-after': '2' } : {} });
}

const tokens = (text: string) => Math.ceil(text.length / 4);
