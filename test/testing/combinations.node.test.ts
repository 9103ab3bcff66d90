/**
 * Any notation over any wire: the same three tools, the same words, and the scripted model behind nine services. The services are written
 * apart from the widget's wires and refuse what the real ones would refuse, so a mistake of one side is not hidden by the other.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before } from 'mocha';
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { Settings } from '../../src/conversation/options/settings.js';
import { scriptedEndpoint, scriptedPaths, scriptedWireIds, type ScriptedWireId } from '../../src/scripted-model/index.js';

const PROTOCOLS = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];
/** Those that can be asked for a whole reply. */
const WHOLE: ScriptedWireId[] = ['cutie', 'openai', 'openai-responses', 'anthropic', 'ollama', 'gemini'];
/** Those whose services take tools beside the text. */
const NATIVE: ScriptedWireId[] = ['openai', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'ui-message-stream', 'ag-ui'];
/** Those that an address gives away. */
const KNOWN_BY_ADDRESS: ScriptedWireId[] = ['cutie', 'openai', 'openai-responses', 'anthropic', 'ollama', 'gemini'];

/** What no person may see: the marks of all notations and of their results. */
const MARKUP =
  /<\/?tool_|<invoke|<parameter|"action"|tool_call|"arguments"|<<<|TOOL_REQUEST|「始|「末|<tool_code|```json|function_call|tool_use/;

const endpoints = Object.fromEntries(scriptedWireIds.map((wire) => [wire, scriptedEndpoint(wire, { delayMs: 0 })])) as Record<
  ScriptedWireId,
  ReturnType<typeof scriptedEndpoint>
>;

/** The first part of a path names the wire of the service there. */
function serve(request: Request): Promise<Response> {
  const [, wire] = new URL(request.url).pathname.split('/');
  return endpoints[wire as ScriptedWireId](request, request.signal);
}

interface Sent {
  url: string;
  body: Record<string, unknown>;
  status: number;
}

interface List {
  chat: Conversation;
  /** Read anew for each turn. */
  options: ConversationOptions;
  /** Calls that were executed. */
  runs: [name: string, args: unknown][];
  sent: Sent[];
  items: Map<string, number>;
}

const scenarios = {
  en: {
    lang: 'en',
    systemPrompt: 'You look after a shopping list.\n\n{{tools}}',
    descriptions: ['Adds an item to the shopping list', 'Lists what is on the shopping list', 'Removes an item from the shopping list'],
    add: 'Add 2 "oat milk" to the list',
    list: 'What is on the list?',
    remove: 'Remove "oat milk" from the list',
    item: 'oat milk',
  },
  zh: {
    lang: 'zh-CN',
    systemPrompt: '你负责管理购物清单。\n\n{{tools}}',
    descriptions: ['向购物清单添加一件物品', '列出购物清单里的物品', '从购物清单里删除一件物品'],
    add: '把 2 盒「燕麦奶 <低糖> & "浓"」加到清单里',
    list: '清单里有什么？',
    remove: '把「燕麦奶 <低糖> & "浓"」从清单里删除',
    item: '燕麦奶 <低糖> & "浓"',
  },
};

type Scenario = (typeof scenarios)['en'];

/** A page with a shopping list, in front of a service that speaks `wire`. */
function page(
  wire: ScriptedWireId,
  { lang, systemPrompt, descriptions }: Scenario,
  options: Partial<Settings> & { origin?: string },
): List {
  const { origin = 'http://service.test', ...settings } = options;
  const sent: Sent[] = [];
  const runs: List['runs'] = [];
  const items = new Map<string, number>();
  const conversation: ConversationOptions = {
    endpoint: `${origin}/${wire}${scriptedPaths[wire]}`,
    wire,
    lang,
    systemPrompt,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    async fetch(url, init) {
      const request = new Request(url, init);
      const body = (await request.clone().json()) as Record<string, unknown>;
      const response = options.origin ? await fetch(request) : await serve(request);
      sent.push({ url: request.url, body, status: response.status });
      return response;
    },
    decide: () => 'allow',
    ...settings,
  };
  const chat = createConversation(conversation);
  const name = { type: 'string', description: 'name' };
  const [add = '', list = '', remove = ''] = descriptions;
  chat.registerTool({
    name: 'add_item',
    description: add,
    risk: 'write',
    parameters: { type: 'object', properties: { name, quantity: { type: 'integer', description: 'how many' } }, required: ['name'] },
    execute(args: { name: string; quantity?: number }) {
      runs.push(['add_item', args]);
      items.set(args.name, (items.get(args.name) ?? 0) + (args.quantity ?? 1));
      return { success: true, message: `+ ${args.name}` };
    },
  });
  chat.registerTool({
    name: 'list_items',
    description: list,
    risk: 'query',
    parameters: { type: 'object', properties: {} },
    execute(args: object) {
      runs.push(['list_items', args]);
      return { success: true, message: [...items].map(([item, quantity]) => `${quantity} × ${item}`).join(', ') || '0' };
    },
  });
  chat.registerTool({
    name: 'remove_item',
    description: remove,
    risk: 'danger',
    parameters: { type: 'object', properties: { name }, required: ['name'] },
    execute(args: { name: string }) {
      runs.push(['remove_item', args]);
      if (!items.delete(args.name)) throw new Error(`no ${args.name}`);
      return { success: true, message: `- ${args.name}` };
    },
  });
  return { chat, options: conversation, runs, sent, items };
}

/** Adds, lists, removes; each turn is one request with the words and one with the result. */
async function play(list: List, { add, list: what, remove, item }: Scenario): Promise<void> {
  const { chat, runs, sent, items } = list;
  for (const [words, result] of [
    [add, `+ ${item}`],
    [what, `2 × ${item}`],
    [remove, `- ${item}`],
  ] as const) {
    const turn = await chat.sendMessage(words);
    const problem = turn.error?.message ?? turn.results.map(({ message }) => message).join('; ');
    expect(turn, problem).to.deep.include({ success: true, reason: 'stop' });
    expect(
      turn.results.map(({ status }) => status),
      problem,
    ).to.deep.equal(['success']);
    expect(turn.text, problem).to.include(result);
  }
  expect(runs).to.deep.equal([
    ['add_item', { name: item, quantity: 2 }],
    ['list_items', {}],
    ['remove_item', { name: item }],
  ]);
  expect([...items]).to.deep.equal([]);
  expect(sent.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200]);
  for (const { role, text } of chat.messages.filter((message) => message.role !== 'user')) expect(text, role).to.not.match(MARKUP);
}

/** Whether a request says that it carries tools, at any depth. AG-UI has the field always. */
const hasTools = ({ body }: Sent) => Array.isArray(body['tools']) && body['tools'].length > 0;

async function run(wire: ScriptedWireId, scenario: Scenario, options: Partial<Settings> & { origin?: string }): Promise<List> {
  const list = page(wire, scenario, options);
  try {
    await play(list, scenario);
  } finally {
    list.chat.dispose();
  }
  return list;
}

describe('any notation over any wire', () => {
  for (const [language, scenario] of Object.entries(scenarios)) {
    for (const protocol of PROTOCOLS) {
      for (const wire of scriptedWireIds) {
        it(`${protocol} over ${wire}, in ${language}`, async () => {
          const { sent } = await run(wire, scenario, { protocol });
          expect(sent.filter(hasTools)).to.deep.equal([]);
        });
      }
      for (const wire of WHOLE) {
        it(`${protocol} over ${wire}, in ${language}, not streamed`, async () => {
          const { sent } = await run(wire, scenario, { protocol, stream: 'off' });
          expect(sent.filter(hasTools)).to.deep.equal([]);
        });
      }
    }
    for (const wire of NATIVE) {
      for (const stream of WHOLE.includes(wire) ? (['on', 'off'] as const) : (['on'] as const)) {
        it(`native over ${wire}, in ${language}, stream ${stream}`, async () => {
          const { sent } = await run(wire, scenario, { protocol: 'native', stream });
          expect(sent.filter(hasTools)).to.have.length(sent.length);
        });
      }
    }
  }

  for (const wire of KNOWN_BY_ADDRESS) {
    it(`finds out by its address that a service speaks ${wire}`, async () => {
      await run(wire, scenarios.en, { wire: 'auto' });
    });
  }

  it('tells results in the role `tool`, too, over every wire', async () => {
    for (const wire of scriptedWireIds) await run(wire, scenarios.en, { protocol: 'json-tool-calls', resultRole: 'tool' });
  });

  it('fails where the wire is not the one that the service speaks', async () => {
    const { chat, sent } = page('anthropic', scenarios.en, { wire: 'openai' });
    const turn = await chat.sendMessage(scenarios.en.add);
    chat.dispose();
    expect(turn).to.deep.include({ success: false, reason: 'error' });
    expect(sent.map(({ status }) => status)).to.deep.equal([400]);
  });

  it('changes notation and wire between two turns, and keeps what was said', async () => {
    const scenario = scenarios.en;
    const { chat, options, runs, sent } = page('openai', scenario, { protocol: 'vcp' });
    await chat.sendMessage(scenario.add);
    for (const [wire, protocol, words] of [
      ['gemini', 'json-action', scenario.list],
      ['text', 'tool-code', scenario.remove],
      ['anthropic', 'native', scenario.list],
    ] as const) {
      Object.assign(options, { wire, protocol, endpoint: `http://service.test/${wire}${scriptedPaths[wire]}` });
      expect(await chat.sendMessage(words)).to.deep.include({ success: true, reason: 'stop' });
    }
    chat.dispose();
    expect(runs.map(([name]) => name)).to.deep.equal(['add_item', 'list_items', 'remove_item', 'list_items']);
    expect(sent.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 200, 200, 200]);
    // The prompt and all that was said before speak one dialect: the model would take up the other one again.
    for (const { url, body } of sent.slice(4)) expect(JSON.stringify(body), url).to.not.include('TOOL_REQUEST');
  });
});

describe('any notation over any wire, by HTTP', () => {
  let origin = '';
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const request = new Request(new URL(incoming.url ?? '', 'http://service.test'), {
        method: 'POST',
        headers: incoming.headers as Record<string, string>,
        body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
        duplex: 'half',
      } as RequestInit);
      const response = await serve(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      for await (const chunk of response.body ?? []) outgoing.write(chunk);
      outgoing.end();
    })();
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const protocol of PROTOCOLS)
    for (const wire of scriptedWireIds) {
      it(`${protocol} over ${wire}`, async () => {
        await run(wire, scenarios.en, { protocol, origin });
      });
    }
});
