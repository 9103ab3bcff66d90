/**
 * The samples of docs/protocols.md, docs/wires.md and docs/prompts.md, as they stand there: each block behind `<!-- sample: name -->` is
 * loaded and used, each table behind `<!-- table: name -->` is held against what really happens. So the pages cannot rot.
 */
import { after, before } from 'mocha';
import { expect } from 'chai';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { ToolContextDef } from '../../src/protocols/adapt/tool-context.js';
import { protocols, type ToolProtocol } from '../../src/protocols/index.js';
import { runProtocolConformance } from '../../src/testing/protocol-conformance.js';
import { parametersOf } from '../../src/tools/schema.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { chooseWire } from '../../src/transports/choose-wire.js';
import type { Wire } from '../../src/transports/wire.js';
import { cutieText, scriptedFetch, type Asked } from '../conversation/scripted-fetch.js';
import { blocksOf, closeSamples, fetchOf, load, openSamples, page, rowsOf, sampleOf, withGlobals } from './pages.js';

interface Session {
  chat: Conversation;
  asked: Asked[];
  ran: unknown[];
}

/** A conversation about tasks with a model that gives these replies. */
function start(replies: (string | Response)[], options: ConversationOptions = {}): Session {
  const { fetch, asked } = scriptedFetch(replies.map((reply) => (typeof reply === 'string' ? () => cutieText(reply) : reply)));
  const chat = createConversation({ endpoint: 'http://model.test/chat', fetch, logLevel: 'off', ...options });
  const ran: unknown[] = [];
  const parameters = { type: 'object', properties: { title: { type: 'string', description: 'What to do' } }, required: ['title'] };
  chat.registerTool({
    ...({ name: 'create_task', description: 'Creates a task.', risk: 'write', parameters } as const),
    execute(args) {
      ran.push(args);
      return { success: true, message: 'Task 12 created' };
    },
  });
  return { chat, asked, ran };
}

const milk = { title: 'Buy milk' };
const systemOf = ({ body }: Asked) => body.system ?? '';
const lastOf = ({ body }: Asked) => body.messages.at(-1)?.text;

describe('the pages for hosts', () => {
  before(openSamples);
  after(closeSamples);

  describe('docs/protocols.md', () => {
    it('shows a call as each of the five writes it', async () => {
      const blocks = blocksOf(await page('docs/protocols.md')).filter(({ language }) => language === 'text');
      const written = Object.values(protocols).map(({ writeCall }) =>
        writeCall?.('create_task', { title: 'Buy milk', urgent: true, tags: ['home'] }),
      );
      expect(blocks.map(({ source }) => source)).to.deep.equal(written);
    });

    it('names the protocol that `auto` takes for each model', async () => {
      const rows = rowsOf(await page('docs/protocols.md'), 'models');
      expect(rows).to.have.length(9);
      for (const [model = '', id = ''] of rows) {
        const { chat } = start([], { protocol: 'auto', model: `provider/${model.replace('*', '-X')}` });
        expect(await chat.generatePrompt(), model).to.equal(await chat.generatePrompt({ protocol: id }));
      }
    });

    it('has a protocol with four members', async () => {
      const { lines } = await load<{ lines: ToolProtocol }>('protocols', 'lines');
      const { chat, asked, ran } = start(['Sure.\n@tool create_task {"title": "Buy milk"}', 'Done.'], { protocol: 'lines' });
      chat.registerProtocol(lines);
      expect(await chat.sendMessage('milk')).to.include({ reason: 'stop', text: 'Done.' });
      expect(ran).to.deep.equal([milk]);
      expect(systemOf(asked[0]!)).to.include('write on a line of its own').and.include('create_task: Creates a task.');
      expect(lastOf(asked[1]!)).to.match(/^@result create_task success: Task 12 created\n\nTell the user/);
      expect(chat.messages[1]?.text.trim()).to.equal('Sure.');
    });

    it('has a suite for any test runner, with time for a busy machine', async () => {
      const given: unknown[] = [];
      const patient = { timeout: (ms: number) => given.push(ms) };
      const describe = (_: string, define: () => void) => void define();
      runProtocolConformance(protocols['tool-code']!, [], { describe, it: (...[, , timeout]) => (given.push(timeout), patient) });
      expect(given).to.have.length.above(30);
      expect(new Set(given)).to.deep.equal(new Set([60_000]));
      const lone = () => runProtocolConformance(protocols['tool-code']!, []);
      await withGlobals({ describe: undefined }, () => expect(lone).to.throw('import them from your test runner'));
    });

    it('has a protocol with a parser, which keeps the promises of one', async () => {
      const { streamed } = await load<{ streamed: Required<ToolProtocol> }>('protocols', 'streamed');
      const checks: (() => void)[] = [];
      const collecting = { describe: (_: string, run: () => void) => run(), it: (_: string, run: () => void) => checks.push(run) };
      await withGlobals(collecting, () => load('protocols', 'conformance'));
      expect(checks).to.have.length.above(30);
      for (const run of checks) run();

      const { writeCall } = streamed;
      const { chat, asked, ran } = start([`Sure.\n${writeCall('create_task', milk)}`, 'Done.'], { protocol: 'streamed' });
      chat.registerProtocol(streamed);
      await chat.sendMessage('milk');
      expect(ran).to.deep.equal([milk]);
      expect(systemOf(asked[0]!)).to.match(/^To use a tool, write one line:\n@tool tool_name[\s\S]*create_task[\s\S]*one JSON object\.$/);
      expect(lastOf(asked[1]!)).to.match(/^@result create_task success: Task 12 created\n\nTell the user/);
    }).timeout(60_000);

    it('has a ToolContextDef', async () => {
      const { tagged } = await load<{ tagged: ToolContextDef }>('protocols', 'tagged');
      const { chat, asked, ran } = start(['<call>{"name": "create_task", "args": {"title": "Buy milk"}}</call>', 'Done.'], {
        protocol: 'tagged',
      });
      chat.registerProtocol(tagged);
      await chat.sendMessage('milk');
      expect(ran).to.deep.equal([milk]);
      expect(systemOf(asked[0]!)).to.include('- create_task: Creates a task. {"title":"What to do"}');
      expect(lastOf(asked[1]!)).to.match(/^<returned id="[^"]+">Task 12 created<\/returned>\n\nTell the user/);
    });

    it('reads a text', async () => {
      const { parsed, found, json } = await load<Record<string, unknown>>('protocols', 'parsing');
      expect(parsed).to.deep.include({ type: 'mixed', text: 'Sure.\n' });
      expect(found).to.equal(true);
      expect(JSON.parse(json as string)).to.deep.include({ name: 'create_task' });
    });
  });

  describe('docs/wires.md', () => {
    it('lists the wires, what `auto` takes, and which have a place for tools', async () => {
      const rows = rowsOf(await page('docs/wires.md'), 'wires');
      expect(
        rows.map(([id]) => id),
        'docs/wires.md',
      ).to.have.members(builtInWires.map(({ id }) => id));
      for (const [id = '', takes = '', , , , native] of rows) {
        const wire = await chooseWire(id, new URL('http://x.test/'));
        expect(wire.tools === false ? '–' : '', id).to.equal(native === '–' ? '–' : '');
        for (const [, end = ''] of takes.matchAll(/(?:…|^)([/:][\w/:]+|prompt-api:)/g)) {
          const address = end === 'prompt-api:' ? end : `http://x.test/base${end}`;
          expect((await chooseWire('auto', new URL(address))).id, address).to.equal(id);
        }
      }
    });

    it('says what a backend of one’s own answers', async () => {
      const said = `${await sampleOf('wires', 'cutie')}\n\n`;
      const { chat } = start([new Response(said, { headers: { 'content-type': 'text/event-stream' } })]);
      expect(await chat.sendMessage('hi')).to.include({ success: true, reason: 'stop', text: 'Hello' });
      expect(chat.messages.at(-1)?.metadata.usage).to.include({ input: 12, output: 2 });
      const { chat: whole } = start([Response.json({ reply: 'Hello' })], { stream: 'off' });
      expect(await whole.sendMessage('hi')).to.include({ success: true, text: 'Hello' });
    });

    it('has a wire of one’s own', async () => {
      const { lineWire } = await load<{ lineWire: Wire }>('wires', 'lineWire');
      const rows = (...list: object[]) => new Response(`${list.map((row) => JSON.stringify(row)).join('\n')}\n`);
      const call = protocols['xml-invoke']!.writeCall!('create_task', milk);
      const replies = [rows({ say: 'Sure. ' }, { say: call }, { end: true }), rows({ say: 'Done.' }, { end: true })];
      const { chat, asked, ran } = start(replies, { endpoint: 'http://model.test/ask' });
      chat.registerWire(lineWire);
      expect(await chat.sendMessage('milk')).to.include({ reason: 'stop', text: 'Done.' });
      expect(ran).to.deep.equal([milk]);
      expect(asked[0]?.body).to.deep.include({ limit: 2000, dialogue: [{ speaker: 'person', text: 'milk' }] });
    });

    it('has a wire that tells a cut and a failure from an end', async () => {
      const { lineWire } = await load<{ lineWire: Wire }>('wires', 'lineWire');
      const told = (body: string) => {
        const { chat } = start([new Response(body)], { endpoint: 'http://model.test/ask' });
        chat.registerWire(lineWire);
        return chat.sendMessage('hi');
      };
      const failed = '{"say": "Su"}\n{"problem": "out of order"}\n{"end": true}\n';
      for (const [reason, body] of Object.entries({ cut: '{"say": "Su"}\n', error: failed, stop: '{"end": true}\n' }))
        expect((await told(body)).reason).to.equal(reason);
      expect((await told('no JSON\n')).error).to.include({ code: 'ENDPOINT_ERROR' });
    });
  });

  describe('docs/prompts.md', () => {
    it('has a macro', async () => {
      const { addWeather } = await load<{ addWeather(chat: Conversation): () => void }>('prompts', 'macro');
      const fetch = fetchOf('https://weather.example', (url) => new Response(`sunny (${url})`));
      const { chat } = start([], { tools: 'off', systemPrompt: '{{weather:Lima}}' });
      addWeather(chat);
      const prompt = await withGlobals({ fetch }, () => chat.generatePrompt());
      expect(prompt).to.equal('Weather in Lima: sunny (https://weather.example/Lima)');
    });

    it('has an object whose methods are tools', async () => {
      const { Notes } = await load<{ Notes: new () => { items: string[] } }>('prompts', 'notes');
      const notes = new Notes();
      for (const [id, name] of Object.entries({ 'xml-invoke': 'notes_add', vcp: 'AddNote' })) {
        const { chat } = start([protocols[id]!.writeCall!(name, { text: id }), 'Done.'], { protocol: id });
        chat.registerTools(notes);
        expect(await chat.getToolDescriptions())
          .to.include('Adds a note to the list.')
          .and.not.to.include('Removes all notes');
        await chat.sendMessage('note it');
      }
      expect(notes.items).to.deep.equal(['xml-invoke', 'vcp']);
    });

    it('has tools with schemas of libraries, also one with a check of its own', async () => {
      const { createTask, setColour, planMeeting } = await load<Record<string, ToolDefinition<never>>>('prompts', 'schemas');
      expect(parametersOf(createTask! as ToolDefinition)).to.have.nested.property('properties.title.description', 'What to do');
      const run = async (tool: ToolDefinition<never>, values: Record<string, unknown>) => {
        const { chat } = start([protocols['xml-invoke']!.writeCall!('try', values), 'Done.']);
        chat.registerTool({ ...tool, name: 'try' });
        return (await chat.sendMessage('do it')).results[0]?.result;
      };
      expect(await run(createTask!, milk)).to.equal('Created “Buy milk” with priority 2');
      expect(await run(createTask!, { ...milk, priority: 3 })).to.equal('Created “Buy milk” with priority 3');
      expect(await run(setColour!, { colour: '#a0ffef' })).to.equal('The colour is now #a0ffef');
      expect(await run(setColour!, { colour: 'green' })).to.include('INVALID_PARAMETER');
      expect(await run(planMeeting!, { day: '2026-11-20' })).to.equal('Planned for 2026-11-20');
      expect(await run(planMeeting!, { day: '2026-11-21' })).to.include('Not a weekday');
    });
  });
});
