/** What a page adds to `<tool-chat>`: at any time, from anywhere, and taken back again. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import type { LogEntry } from '../../src/base/log.js';
import type { ToolProtocol } from '../../src/protocols/protocol.js';
import type { Wire } from '../../src/transports/wire.js';
import { until } from './looking.js';
import { answerByHand, chatOnPage, tool } from './tool-chat-stage.js';

const tasks = {
  getMetadata: () => ({ id: 'tasks', methods: [{ name: 'clear', description: 'Clears the list.', agentCallable: true, risk: 'query' }] }),
  clear: () => 'cleared',
};
const notation: ToolProtocol = {
  id: 'house',
  generateToolDefinitions: (tools) => `HOUSE NOTATION: ${tools.map(({ toolId }) => toolId).join()}`,
  parseToolRequests: () => [],
  formatToolResults: () => '',
};
const wire: Wire = {
  id: 'house',
  request: ({ system, messages }, url) => ({ url, headers: {}, body: { house: true, system, messages } }),
  createReader: (emit) => ({ push: () => undefined, end: () => emit({ type: 'finish', finish: 'stop', proved: true }) }),
};

/** Each registration, the options under which it counts, and how that is seen in the request of a turn. */
const kinds: readonly (readonly [
  name: string,
  sign: string,
  register: (chat: ToolChat) => () => void,
  options?: Record<string, string>,
])[] = [
  ['registerTool', 'Does look.', (chat) => chat.registerTool(tool('look', { risk: 'query' }))],
  ['registerTools', 'Clears the list.', (chat) => chat.registerTools(tasks)],
  [
    'registerProtocol',
    'HOUSE NOTATION: use',
    (chat) => {
      const takeBack = [chat.registerTool(tool('use')), chat.registerProtocol(notation)];
      return () => takeBack.forEach((off) => off());
    },
    { protocol: 'house' },
  ],
  ['registerWire', '"house":true', (chat) => chat.registerWire(wire), { wire: 'house' }],
  ['registerMacro', 'At nine.', (chat) => chat.registerMacro('hour', () => 'nine'), { 'system-prompt': 'At {{hour}}.' }],
];

/** Whether what was registered can be seen in a request. */
async function counts(chat: ToolChat, sign: string): Promise<boolean> {
  const model = answerByHand(chat);
  await model.turn('Go', '');
  return JSON.stringify(model.requests[0]?.body).includes(sign);
}

/** An element whose engine is not there before something asks for it. */
function early(options: Record<string, string> = {}): ToolChat {
  const chat = document.createElement('tool-chat');
  for (const [name, value] of Object.entries({ lang: 'en', 'log-level': 'off', ...options })) chat.setAttribute(name, value);
  return chat;
}

describe('what a page registers', () => {
  for (const [name, sign, register, options] of kinds)
    it(`${name} waits for the engine or counts at once, also from \`window.toolChat\` for elements there and to come, and can be taken back`, async () => {
      const kept = early(options);
      const off = register(kept);
      expect(await counts(kept, sign)).to.equal(true);
      off();
      expect(await counts(kept, sign)).to.equal(false);
      off(); // harmless
      const dropped = early(options);
      register(dropped)();
      expect(await counts(dropped, sign)).to.equal(false);

      let active = true;
      const registered = new Map<ToolChat, () => void>();
      const there = await chatOnPage({ 'log-level': 'off', ...options });
      expect(await counts(there, sign)).to.equal(false);
      (window as unknown as { toolChat: ((chat: ToolChat) => void)[] }).toolChat.push((chat) => {
        if (!active) return; // such functions stay for as long as the page
        expect(registered.has(chat)).to.equal(false);
        registered.set(chat, register(chat));
      });
      const later = await chatOnPage({ 'log-level': 'off', ...options });
      active = false;
      for (const chat of [there, later]) {
        expect(await counts(chat, sign)).to.equal(true);
        registered.get(chat)?.();
        expect(await counts(chat, sign)).to.equal(false);
      }
    });

  it('goes with its AbortSignal, also one that was registered before the engine was there, and a successor of the same name stays', async () => {
    const chat = early();
    const abort = new AbortController();
    const off = chat.registerTool(tool('one', { description: 'The first.' }), { signal: abort.signal });
    expect(await chat.getToolDescriptions()).to.include('The first.');
    expect(() => chat.registerTool(tool('one'))).to.throw('taken');
    abort.abort();
    chat.registerTool(tool('one', { description: 'The second.' }));
    off();
    chat.registerTool(tool('two', { description: 'Too late.' }), { signal: abort.signal });
    expect(await chat.getToolDescriptions())
      .to.include('The second.')
      .and.not.match(/The first\.|Too late\./);
  });

  it('is told what is wrong with it, early as late, and stops nothing else that waits', async () => {
    const nameless = { name: 'one', execute: () => 1 } as never;
    const late = await chatOnPage();
    for (const [wrong, why] of [
      [(chat: ToolChat) => chat.registerTool(nameless), 'needs a `description`'],
      [(chat: ToolChat) => chat.registerMacro('not a name', () => ''), 'A macro needs a name'],
      [(chat: ToolChat) => chat.registerMacro('tools', () => ''), 'taken'],
      [(chat: ToolChat) => chat.registerWire({} as Wire), ''],
      [(chat: ToolChat) => chat.registerProtocol({} as ToolProtocol), ''],
    ] as const) {
      expect(() => wrong(late), why).to.throw(why);
      const chat = early({ 'log-level': 'error' });
      const entries: LogEntry[] = [];
      chat.addEventListener('tool-chat-log', ({ entry }) => void entries.push(entry));
      const off = wrong(chat);
      chat.use({ name: 'two', setup: (page) => page.registerTool(tool('look', { description: 'Looks.' })) });
      expect(await chat.getToolDescriptions())
        .to.include('Looks.')
        .and.not.include('one');
      await until(() => entries.length > 0, 'nothing was logged');
      expect(entries.map(({ level }) => level)).to.deep.equal(['error']);
      expect(entries[0]?.message).to.include(why);
      off();
    }
  });
});
