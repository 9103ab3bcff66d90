/**
 * Any notation over any wire: the same three tools, the same words, and the scripted model behind nine services. The services are written
 * apart from the widget's wires and refuse what the real ones would refuse, so a mistake of one side is not hidden by the other.
 */
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { Settings } from '../../src/conversation/options/settings.js';
import { isFullEffort } from '../helpers/effort.js';
import { scriptedEndpoint, scriptedPaths, scriptedWireIds, type ScriptedWireId } from '../../src/scripted-model/index.js';
import scenarios from '../fixtures/eval/shopping.json' with { type: 'json' };

const PROTOCOLS = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];
/** Those that can be asked for a whole reply, which are those that an address gives away. */
const WHOLE: ScriptedWireId[] = ['cutie', 'openai', 'openai-responses', 'anthropic', 'ollama', 'gemini'];
/** Those whose services take tools beside the text. */
const NATIVE: ScriptedWireId[] = [...WHOLE.slice(1), 'ui-message-stream', 'ag-ui'];

/** What no person may see: the marks of all notations and of their results. */
const MARKUP =
  /<\/?tool_|<invoke|<parameter|"action"|tool_call|"arguments"|<<<|TOOL_REQUEST|「始|「末|<tool_code|```json|function_call|tool_use/;

const endpoints = new Map<string, ReturnType<typeof scriptedEndpoint>>();
for (const wire of scriptedWireIds) endpoints.set(wire, scriptedEndpoint(wire, { delayMs: 0 }));

/** The first part of a path names the wire of the service there. */
const serve = (request: Request) => endpoints.get(new URL(request.url).pathname.split('/')[1]!)!(request, request.signal);

interface List {
  chat: Conversation;
  /** Read anew for each turn. */
  options: ConversationOptions;
  /** Calls that were executed. */
  runs: [name: string, args: unknown][];
  sent: { url: string; body: Record<string, unknown>; status: number }[];
  items: Map<string, number>;
}

type Scenario = (typeof scenarios)['en'];

/** A page with a shopping list, in front of a service that speaks `wire`. */
function page(wire: ScriptedWireId, { lang, systemPrompt, descriptions }: Scenario, settings: Partial<Settings>): List {
  const sent: List['sent'] = [];
  const runs: List['runs'] = [];
  const items = new Map<string, number>();
  const conversation: ConversationOptions = {
    endpoint: `http://service.test/${wire}${scriptedPaths[wire]}`,
    wire,
    lang,
    systemPrompt,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    async fetch(url, init) {
      const request = new Request(url, init);
      const body = (await request.clone().json()) as Record<string, unknown>;
      const response = await serve(request);
      sent.push({ url: request.url, body, status: response.status });
      return response;
    },
    decide: () => 'allow',
    ...settings,
  };
  const chat = createConversation(conversation);
  const name = { type: 'string', description: 'name' };
  const quantity = { type: 'integer', description: 'how many' };
  type Args = { name: string; quantity?: number };
  const tools: [tool: string, risk: 'query' | 'write' | 'danger', properties: object, execute: (args: Args) => string][] = [
    ['add_item', 'write', { name, quantity }, (args) => (items.set(args.name, args.quantity ?? 1), `+ ${args.name}`)],
    ['list_items', 'query', {}, () => [...items].map(([item, count]) => `${String(count)} × ${item}`).join(', ') || '0'],
    ['remove_item', 'danger', { name }, (args) => (items.delete(args.name) ? `- ${args.name}` : 'nothing')],
  ];
  for (const [at, [tool, risk, properties, execute]] of tools.entries())
    chat.registerTool({
      name: tool,
      description: descriptions[at]!,
      risk,
      parameters: { type: 'object', properties, required: tool === 'list_items' ? [] : ['name'] },
      execute(args: Args) {
        runs.push([tool, args]);
        return { success: true, message: execute(args) };
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
    expect(turn.results.map(({ status }) => status).join(), problem).to.equal('success');
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
const hasTools = ({ body }: List['sent'][number]) => Array.isArray(body['tools']) && body['tools'].length > 0;

async function run(wire: ScriptedWireId, scenario: Scenario, options: Partial<Settings>): Promise<List> {
  const list = page(wire, scenario, options);
  try {
    await play(list, scenario);
  } finally {
    list.chat.dispose();
  }
  return list;
}

/** Every pairing of protocol, wire and way to answer; the language changes from one to the next, and with full effort there are both of each. */
const pairings = [...PROTOCOLS, 'native'].flatMap((protocol) =>
  (['on', 'off'] as const).flatMap((stream) =>
    scriptedWireIds
      .filter((wire) => (stream === 'on' || WHOLE.includes(wire)) && (protocol !== 'native' || NATIVE.includes(wire)))
      .map((wire) => ({ protocol, wire, stream })),
  ),
);

describe('any notation over any wire', () => {
  for (const [at, { protocol, wire, stream }] of pairings.entries()) {
    // Without full effort whole replies are asked for by every third protocol of a wire.
    if (!isFullEffort && stream === 'off' && (at + WHOLE.indexOf(wire)) % 3 > 0) continue;
    for (const lang of isFullEffort ? (['en', 'zh'] as const) : [at % 2 === 0 ? ('en' as const) : ('zh' as const)])
      it(`${protocol} over ${wire}, in ${lang}, stream ${stream}`, async () => {
        const { sent } = await run(wire, scenarios[lang], { protocol, stream });
        expect(sent.filter(hasTools)).to.have.length(protocol === 'native' ? sent.length : 0);
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

it('a temperature is taken by the service behind every wire', async () => {
  for (const wire of scriptedWireIds) {
    const { chat, sent } = page(wire, scenarios.en, { temperature: 1.5 });
    const { success, error } = await chat.sendMessage(scenarios.en.list);
    chat.dispose();
    expect(success, `${wire}: ${error?.message ?? ''}`).to.equal(true);
    expect(JSON.stringify(sent[0]!.body)).to.include(`"temperature":${wire === 'anthropic' ? '1' : '1.5'}`);
  }
});
