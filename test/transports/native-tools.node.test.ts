/** What every wire owes when it comes to tools: nothing of them unless they are offered natively, and requests that can be repeated. */
import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import type { TurnMessage, TurnRequest } from '../../src/transports/wire.js';
import { turn, withPictures, withTools } from './turns.js';

const endpoint = new URL('https://x.example/v1/models/m:streamGenerateContent');
const FORBIDDEN = ['tools', 'tool_choice', 'functions', 'toolConfig', 'tool_calls', 'toolCalls', 'function_call'];

/** Every key of a body, at any depth; an empty list declares nothing. */
function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value)
    ? []
    : Object.entries(value).flatMap(([key, inner]) => (Array.isArray(inner) && inner.length === 0 ? [] : [key]));
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

const { tools: _, ...taught } = withTools;
const turns: Record<string, TurnRequest> = {
  'a question': turn,
  pictures: withPictures,
  'calls and results': taught,
  'no tool left': { ...taught, tools: [] },
};

for (const { id, load } of builtInWires) {
  describe(`wire ${id} under a text protocol`, () => {
    for (const [name, request] of Object.entries(turns)) {
      it(`sends nothing of tools with ${name}`, async () => {
        const { body } = (await load()).request(request, endpoint);
        expect(keysOf(body).filter((key) => FORBIDDEN.includes(key))).to.deep.equal([]);
      });
    }

    it('sends the same for the same, and keeps what it was given', async () => {
      const wire = await load();
      for (const request of [turn, withPictures, withTools]) {
        const before = JSON.stringify(request);
        // AG-UI wants every run to have an id of its own.
        const send = () => JSON.stringify(wire.request({ ...request, sessionId: 's' }, endpoint)).replace(/"runId":"[^"]*"/, '');
        expect(send()).to.equal(send());
        expect(JSON.stringify(request)).to.equal(before);
        expect(endpoint.href).to.equal('https://x.example/v1/models/m:streamGenerateContent');
      }
    });
  });
}

const NATIVE = ['openai', 'openai-responses', 'anthropic', 'ollama', 'gemini'];

for (const { id, load } of builtInWires.filter((wire) => NATIVE.includes(wire.id))) {
  describe(`wire ${id} with tools of its own`, () => {
    const bodyFor = async (messages: TurnMessage[]) => JSON.stringify((await load()).request({ ...withTools, messages }, endpoint).body);
    const called: TurnMessage = { role: 'assistant', text: 'Calling.', toolCalls: [{ id: 'call_x', name: 'get_user', arguments: {} }] };

    it('finds out a body that speaks of tools', async () => {
      expect(keysOf((await load()).request(withTools, endpoint).body)).to.include('tools');
    });

    it('tells a result without its call in words', async () => {
      const body = await bodyFor([{ role: 'tool', text: 'an orphan', toolCallId: 'call_x', toolName: 'get_user' }]);
      expect(body).to.contain('an orphan');
      expect(body).not.to.contain('call_x');
    });

    it('leaves out a call without its result: services refuse one alone', async () => {
      const body = await bodyFor([called, { role: 'user', text: 'And?' }]);
      expect(body).to.contain('Calling.');
      expect(body).not.to.contain('call_x');
      expect(await bodyFor([called, { role: 'tool', text: 'Ada', toolCallId: 'call_x' }])).to.match(/call_x.*get_user.*call_x/);
    });
  });
}
