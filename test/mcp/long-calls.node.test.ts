/** MCP calls that take long: progress extends their limit, and what may still run is not begun again. */
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { connectMcp, type McpAnswer, type McpOptions } from '../../src/mcp/index.js';
import { executeTool } from '../../src/tools/execute.js';
import { call, talk, useFaultServer } from '../conversation/talk.js';
import { useFakeTimers } from '../relay/timers.js';
import { checkedCall, setUp } from '../tools/helpers.js';

const URL = 'https://mcp.example/mcp';

/** A server in this page that answers no call by itself. */
function slowServer() {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const calls: { id: number; signal: AbortSignal | undefined }[] = [];
  const answer = (id: unknown, result: object) => Response.json({ jsonrpc: '2.0', id, result });
  const fetch = async (_: unknown, { body, signal }: RequestInit = {}) => {
    const { id, method } = JSON.parse(String(body)) as { id: number; method: string };
    if (method === 'server/discover') return answer(id, { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    if (method === 'tools/list')
      return answer(id, { tools: [{ name: 'index', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] });
    if (method !== 'tools/call') return new Response(null, { status: 202 });
    calls.push({ id, signal: signal ?? undefined });
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        streams.push(controller);
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
  const say = (message: object) =>
    streams.at(-1)?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`));
  return {
    ...{ calls, fetch: fetch as typeof globalThis.fetch },
    report: (progress: number) =>
      say({ method: 'notifications/progress', params: { progressToken: calls.at(-1)?.id, progress, total: 100 } }),
    finish: () => say({ id: calls.at(-1)?.id, result: { content: [{ type: 'text', text: 'Indexed.' }] } }),
    ask: () => say({ id: 'q', method: 'elicitation/create', params: { message: 'Which?', requestedSchema: {} } }),
    cut: () => streams.at(-1)?.close(),
  };
}

describe('a long MCP call', () => {
  describe('that reports progress', () => {
    const { pass } = useFakeTimers();

    async function begun(options: McpOptions = {}) {
      const server = slowServer();
      const setup = setUp();
      await connectMcp({ registerTool: (tool) => setup.registry.register(tool) }, URL, { fetch: server.fetch, ...options });
      const prepared = await checkedCall(setup, {}, 'index');
      let end: Awaited<ReturnType<typeof executeTool>> | undefined;
      void executeTool({ prepared, sessionId: 's', texts: en, log: setup.log }).then((result) => (end = result));
      await pass(0);
      /** Heard before time passes. */
      const report = async (progress: number) => {
        server.report(progress);
        await pass(0);
      };
      return { server, report, end: () => end };
    }

    it('goes on past the limit as long as it reports, and is cut when it falls silent', async () => {
      const { server, report, end } = await begun();
      for (let percent = 1; percent <= 4; percent++) {
        await pass(25_000);
        await report(percent);
      }
      expect([end(), server.calls[0]?.signal?.aborted]).to.deep.equal([undefined, false]);
      server.finish();
      await pass(0);
      expect(end()).to.include({ status: 'success', message: 'Indexed.' });

      const silent = await begun();
      await silent.report(1);
      await pass(30_000);
      expect(silent.end()).to.include({ status: 'error', code: 'TIMEOUT' });
      expect(silent.server.calls[0]?.signal?.aborted).to.equal(true);
    });

    it('has the limit that the page gives, and an hour at most', async () => {
      const { report, end } = await begun({ timeout: 300_000 });
      await pass(299_000);
      expect(end()).to.equal(undefined);
      for (let minute = 0; minute < 60; minute += 4) {
        await report(minute);
        await pass(240_000);
      }
      expect(end()).to.include({ code: 'TIMEOUT' });
    });
  });

  describe('during which the server asks the user', () => {
    const { pass } = useFakeTimers();

    it('has the whole limit again after the answer, however long that takes', async () => {
      let answer: ((given: McpAnswer) => void) | undefined;
      const server = slowServer();
      const setup = setUp();
      const elicit = () => new Promise<McpAnswer>((resolve) => (answer = resolve));
      await connectMcp({ registerTool: (tool) => setup.registry.register(tool) }, URL, { fetch: server.fetch, elicit });
      for (const isAnswered of [true, false]) {
        let end: Awaited<ReturnType<typeof executeTool>> | undefined;
        const prepared = await checkedCall(setup, {}, 'index');
        void executeTool({ prepared, sessionId: 's', texts: en, log: setup.log }).then((result) => (end = result));
        await pass(20_000);
        server.ask();
        await pass(0);
        await pass(600_000);
        expect(end).to.equal(undefined);
        answer?.({ action: 'accept', content: {} });
        await pass(0);
        await pass(29_000);
        expect(end).to.equal(undefined);
        if (isAnswered) server.finish();
        await pass(2000);
        expect(end?.code).to.equal(isAnswered ? undefined : 'TIMEOUT');
      }
    });
  });

  describe('in a conversation', () => {
    useFaultServer();

    async function turnWith(tool: (server: ReturnType<typeof slowServer>) => void, toolTimeout: number) {
      const server = slowServer();
      const one = talk([call('index'), 'Done.'], { toolTimeout });
      const fetch: typeof globalThis.fetch = async (...given) => {
        const response = await server.fetch(...given);
        if (server.calls.length > 0) tool(server);
        return response;
      };
      const connection = await connectMcp(one.chat, URL, { fetch, trusted: true });
      await one.send();
      await connection.close();
      return { calls: server.calls.length, card: one.cards()[0] };
    }

    it('that ran out of time is not started a second time, though it only reads', async () => {
      const { calls, card } = await turnWith(() => undefined, 5);
      expect([calls, card?.result?.code]).to.deep.equal([1, 'TIMEOUT']);
    });

    it('whose connection broke is not started a second time', async () => {
      const { calls, card } = await turnWith((server) => server.cut(), 30_000);
      expect([calls, card?.result?.message]).to.deep.equal([
        1,
        'The connection to the service broke while it worked. It may have gone through. Check before you try again.',
      ]);
    });
  });
});
