/** What a page adds to `<tool-chat>`: at any time, from anywhere, and taken back again. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { LogEntry } from '../../src/base/log.js';
import type { ToolProtocol } from '../../src/protocols/protocol.js';
import type { Wire } from '../../src/transports/wire.js';
import { appears, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

const tasks = {
  cleared: 0,
  getMetadata: () => ({ id: 'tasks', methods: [{ name: 'clear', description: 'Clears the list.', agentCallable: true, risk: 'query' }] }),
  clear() {
    this.cleared += 1;
    return 'cleared';
  },
};

const notation: ToolProtocol = {
  id: 'house',
  generateToolDefinitions: (tools) => `HOUSE NOTATION: ${tools.map(({ toolId }) => toolId).join()}`,
  parseToolRequests: (text) =>
    [...text.matchAll(/!(\w+)!/g)].map(([rawBlock, toolName = '']) => ({ requestId: '', toolName, rawBlock, args: {} })),
  formatToolResults: (results) => `HOUSE RESULTS: ${String(results.length)}`,
};

const wire: Wire = {
  id: 'house',
  request: ({ system, messages }, url) => ({ url, headers: {}, body: { house: true, system, messages } }),
  createReader(emit) {
    const decoder = new TextDecoder();
    return {
      push: (bytes) => emit({ type: 'text', text: decoder.decode(bytes, { stream: true }) }),
      end: () => emit({ type: 'finish', finish: 'stop', proved: true }),
    };
  },
};

/** Each registration, and how to see in the request of a turn that it counts. */
const kinds: Record<string, { options?: Record<string, string>; register(chat: ToolChat): () => void; sign: string }> = {
  registerTool: { register: (chat) => chat.registerTool(tool('look', { risk: 'query' })), sign: 'Does look.' },
  registerTools: { register: (chat) => chat.registerTools(tasks), sign: 'Clears the list.' },
  registerProtocol: {
    options: { protocol: 'house' },
    register(chat) {
      const takeBack = [chat.registerTool(tool('use')), chat.registerProtocol(notation)];
      return () => {
        for (const off of takeBack) off();
      };
    },
    sign: 'HOUSE NOTATION: use',
  },
  registerWire: { options: { wire: 'house' }, register: (chat) => chat.registerWire(wire), sign: '"house":true' },
  registerMacro: {
    options: { 'system-prompt': 'Open: {{hours}}.' },
    register: (chat) => chat.registerMacro('hours', () => 'nine to five'),
    sign: 'Open: nine to five.',
  },
};

/** Whether what was registered can be seen in a request. */
async function counts(chat: ToolChat, sign: string): Promise<boolean> {
  const model = answerByHand(chat);
  const turn = chat.sendMessage('Go');
  const request = await model.next();
  request.done();
  await turn;
  return JSON.stringify(request.body).includes(sign);
}

/** An element whose engine is not there before something asks for it. */
function early(options: Record<string, string> = {}): ToolChat {
  const chat = document.createElement('tool-chat');
  for (const [name, value] of Object.entries({ lang: 'en', 'log-level': 'off', ...options })) chat.setAttribute(name, value);
  return chat;
}

describe('what a page registers', () => {
  for (const [name, { options, register, sign }] of Object.entries(kinds))
    describe(name, () => {
      it('waits for the engine, and can be taken back before or after', async () => {
        const kept = early(options);
        const off = register(kept);
        expect(await counts(kept, sign)).to.equal(true);
        off();
        expect(await counts(kept, sign)).to.equal(false);
        off(); // harmless

        const dropped = early(options);
        register(dropped)();
        expect(await counts(dropped, sign)).to.equal(false);
      });

      it('counts at once when the engine is there, and can be taken back', async () => {
        const chat = await chatOnPage({ 'log-level': 'off', ...options });
        expect(await counts(chat, sign)).to.equal(false);
        const off = register(chat);
        expect(await counts(chat, sign)).to.equal(true);
        off();
        expect(await counts(chat, sign)).to.equal(false);
      });

      it('may come from `window.toolChat`, for elements that are there and those to come', async () => {
        let active = true;
        const registered: ToolChat[] = [];
        const there = await chatOnPage({ 'log-level': 'off', ...options });
        (window as unknown as { toolChat: ((chat: ToolChat) => void)[] }).toolChat.push((chat) => {
          if (!active) return; // such functions stay for as long as the page
          registered.push(chat);
          register(chat);
        });
        expect(registered).to.include(there);
        expect(await counts(there, sign)).to.equal(true);
        const later = await chatOnPage({ 'log-level': 'off', ...options });
        active = false;
        expect(await counts(later, sign)).to.equal(true);
        expect(registered.filter((chat) => chat === later)).to.have.length(1);
      });
    });

  for (const when of ['before', 'after'] as const)
    it(`goes with its AbortSignal, ${when} the engine is there, and a successor of the same name stays`, async () => {
      const chat = when === 'after' ? await chatOnPage() : early();
      const abort = new AbortController();
      const off = chat.registerTool(tool('one', { description: 'The first.' }), { signal: abort.signal });
      expect(() => chat.registerTool(tool('one'))).to.throw('taken');
      abort.abort();
      chat.registerTool(tool('one', { description: 'The second.' }));
      off();
      expect(await chat.getToolDescriptions())
        .to.include('The second.')
        .and.not.include('The first.');
      chat.registerTool(tool('two', { description: 'Too late.' }), { signal: abort.signal });
      expect(await chat.getToolDescriptions()).not.to.include('Too late.');
    });

  it('goes with its AbortSignal also when it was registered before the engine and dropped after', async () => {
    const chat = early();
    const abort = new AbortController();
    chat.registerTool(tool('one', { description: 'The first.' }), { signal: abort.signal });
    expect(await chat.getToolDescriptions()).to.include('The first.');
    abort.abort();
    expect(await chat.getToolDescriptions()).not.to.include('The first.');
  });

  it('is told that a tool has no description, when it was registered early as when late', async () => {
    const nameless = { name: 'one', execute: () => 1 } as never;
    const late = await chatOnPage();
    let said = '';
    try {
      late.registerTool(nameless);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).to.include('needs a `description`');

    const chat = early();
    chat.setAttribute('log-level', 'error');
    const entries: LogEntry[] = [];
    chat.addEventListener('tool-chat-log', ({ entry }) => void entries.push(entry));
    const told = await reportedWhile(async () => {
      chat.registerTool(nameless);
      chat.use({ name: 'two', setup: (page) => page.registerTool(tool('look', { description: 'Looks.' })) });
      expect(await chat.getToolDescriptions())
        .to.include('Looks.')
        .and.not.include('one');
    });
    expect(told.map(String)).to.deep.equal([]);
    await until(() => entries.length > 0, 'nothing was logged');
    expect(entries.map(({ message }) => message)).to.deep.equal([said]);
  });

  it('is told what is wrong with it, and stops nothing else that waits', async () => {
    const chat = early();
    const off = chat.registerMacro('not a name', () => '');
    chat.registerTool(tool('look', { description: 'Looks.' }));
    chat.setAttribute('log-level', 'error');
    const entries: LogEntry[] = [];
    chat.addEventListener('tool-chat-log', ({ entry }) => void entries.push(entry));
    const told = await reportedWhile(async () => {
      expect(await chat.getToolDescriptions()).to.include('Looks.');
    });
    expect(told.map(String)).to.deep.equal([]);
    await until(() => entries.length > 0, 'nothing was logged');
    expect(entries.map(({ level, code }) => [level, code])).to.deep.equal([['error', 'registration.failed']]);
    expect(entries[0]?.message).to.include('A macro needs a name');
    off();

    const late = await chatOnPage();
    expect(() => late.registerMacro('not a name', () => '')).to.throw(TypeError);
    expect(() => late.registerMacro('tools', () => '')).to.throw('taken');
    expect(() => late.registerWire({} as Wire)).to.throw(TypeError);
    expect(() => late.registerProtocol({} as ToolProtocol)).to.throw(TypeError);
  });

  it('runs: a method of an object, called in a notation of the page, over a wire of the page', async () => {
    const chat = early({ protocol: 'house', wire: 'house' });
    for (const each of [() => chat.registerTools(tasks), () => chat.registerProtocol(notation), () => chat.registerWire(wire)]) each();
    const bodies: string[] = [];
    chat.endpoint = '/house';
    chat.fetch = (_input, init) => {
      bodies.push(String(init?.body));
      return Promise.resolve(new Response(bodies.length === 1 ? 'At once. !tasks_clear!' : 'Cleared.'));
    };
    const box = document.createElement('main');
    Object.assign(box.style, { position: 'fixed', inset: '0 auto auto 0', width: '480px', height: '560px' });
    box.append(chat);
    document.body.append(box);
    try {
      const before = tasks.cleared;
      expect(await chat.sendMessage('Clear my list')).to.include({ success: true, text: 'Cleared.' });
      expect(tasks.cleared).to.equal(before + 1);
      expect(bodies[1]).to.include('HOUSE RESULTS: 1');
      await appears(chat, '[data-status=success][data-tool=tasks_clear]');
    } finally {
      box.remove();
    }
  });

  it('can fail: what nobody registered does not count', async () => {
    for (const [name, { options, sign }] of Object.entries(kinds)) expect(await counts(early(options), sign), name).to.equal(false);
    const chat = early();
    // Without any tool nothing would be read as a call.
    chat.registerTool({ name: 'other', description: 'Does something else.', risk: 'query', execute: () => '' });
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Go');
    const request = await model.next();
    request.send(call('look'));
    request.done();
    (await model.next()).done();
    const { results } = await turn;
    expect(results[0]).to.include({ code: 'TOOL_NOT_FOUND' });
  });
});

/** What is reported as nobody's error meanwhile, kept from the test runner. */
async function reportedWhile(work: () => Promise<void>): Promise<unknown[]> {
  const reported: unknown[] = [];
  const { onerror } = window;
  const listen = (event: ErrorEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    reported.push(event.error);
  };
  window.onerror = null;
  window.addEventListener('error', listen, true);
  try {
    await work();
  } finally {
    window.removeEventListener('error', listen, true);
    window.onerror = onerror;
  }
  return reported;
}
