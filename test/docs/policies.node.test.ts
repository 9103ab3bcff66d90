/** The pages about how a turn goes, as they stand there: samples are loaded and used, tables are held against what really happens. */
import { after, before } from 'mocha';
import { expect } from 'chai';
import type { Conversation } from '../../src/conversation/conversation.js';
import type { AnswerCache, ErrorStrategies, Strategy } from '../../src/conversation/options/option-shapes.js';
import { effectStrategies, queryStrategies } from '../../src/conversation/calls/attempts.js';
import type { MemoryItem, MemoryOptions, MemoryStore } from '../../src/model/memory.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { failureOfStatus } from '../../src/transports/endpoint-errors.js';
import { retryTables } from '../../src/transports/retry.js';
import { call, talk, until, useFaultServer } from '../conversation/talk.js';
import { optionRows } from '../../.config/option-rows.mjs';
import { closeSamples, fetchOf, load, openSamples, page, rowsOf, withGlobals } from './pages.js';

describe('the pages about how a turn goes', () => {
  useFaultServer();
  before(openSamples);
  after(closeSamples);

  it('docs/policies.md lists each policy with all its values, the default first', async () => {
    const rows = rowsOf(await page('docs/policies.md'), 'policies');
    expect(rows).to.have.length(24);
    const declared = new Map(
      optionRows().map(({ attribute = '', type, default: initial = '' }) => [
        attribute,
        { values: type.split('|').map((value) => value.replaceAll("'", '')), initial },
      ]),
    );
    for (const [name = '', values = ''] of rows) {
      const [first, ...others] = values.split('` `');
      const known = declared.get(name);
      expect(first, name).to.equal(known?.initial);
      if (known?.values.join() !== 'number') expect([first, ...others], name).to.have.members(known?.values ?? []);
    }
  });

  describe('docs/storage.md', () => {
    it('has a tool that hands its key on, and knows whether it ran', async () => {
      const { placeOrder } = await load<{ placeOrder: ToolDefinition }>('storage', 'verify');
      const orders = new Map<string, unknown>();
      let isDown = false;
      const fetch = fetchOf('/api/orders', (url, init) => {
        const key = new Headers(init?.headers).get('idempotency-key');
        if (key) orders.set(key, JSON.parse(String(init?.body)));
        const asked = orders.get(new URL(url, 'http://x.test').searchParams.get('key') ?? '');
        return isDown ? new Response('', { status: 503 }) : Response.json(asked === undefined ? [] : [asked]);
      });
      await withGlobals({ fetch }, async () => {
        const one = talk([call('place_order', { item: 'tea' }), 'Done.'], { approval: 'auto' });
        one.chat.registerTool(placeOrder as ToolDefinition<never>);
        const [result] = (await one.send()).results;
        expect(result?.result).to.equal('Ordered: tea');
        expect([...orders.keys()]).to.deep.equal([result?.requestId]);
        const verify = (requestId: string) => placeOrder.verify?.({ item: 'tea' }, { requestId } as ToolContext);
        expect(await verify(result?.requestId ?? '')).to.equal('done');
        expect(await verify('another')).to.equal('not-done');
        isDown = true;
        expect(await verify('another')).to.equal('unknown');
      });
    });
  });

  describe('docs/errors.md', () => {
    it('has the table of retries', async () => {
      const rows = rowsOf(await page('docs/errors.md'), 'retries');
      const words = (waits: readonly number[]) => (waits.length > 0 ? `${waits.map((ms) => ms / 1000).join(', ')} s` : 'never');
      const table = (['network', 'server', 'busy'] as const).map((name) =>
        (['balanced', 'cutie-xml'] as const).map((preset) => words(retryTables[preset][name])),
      );
      expect(rows.map((row) => row.slice(1))).to.deep.equal(table);
      for (const [at, name] of (['network', 'server', 'busy'] as const).entries())
        for (const status of rows[at]?.[0]?.match(/\d{3}/g) ?? []) expect(failureOfStatus(Number(status)).retry, status).to.equal(name);
    });

    it('has the matrix of strategies', async () => {
      const rows = rowsOf(await page('docs/errors.md'), 'strategies');
      expect(rows.map(([type]) => type)).to.have.members(Object.keys(queryStrategies));
      const words = (row: readonly Strategy[]) => row.map((step) => (typeof step === 'string' ? step : `retry ${step.retry}`)).join(', ');
      for (const [type = '', query, effect] of rows) {
        expect(query, type).to.equal(words(queryStrategies[type as 'auth']));
        expect(effect, type).to.equal(words(effectStrategies[type as 'auth']));
      }
    });

    it('has a row of the host’s own, and a tool with another to stand in', async () => {
      const { errorStrategies, weather } = await load<{ errorStrategies: ErrorStrategies; weather: ToolDefinition }>(
        'errors',
        'strategies',
      );
      let asked = 0;
      const options = { errorStrategies: { ...errorStrategies, network: [{ retry: 3, baseMs: 1 }, 'degrade', 'explain'] } } as const;
      expect(errorStrategies['network']).to.deep.equal([{ retry: 3, baseMs: 200 }, 'degrade', 'explain']);
      const one = talk([call('weather', { town: 'Bern' }), 'Sunny.'], options);
      one.chat.registerTool(weather as ToolDefinition<never>);
      one.tool('weather_of_yesterday', { risk: 'query', parameters: weather.parameters!, execute: () => 'sunny' });
      const fetch = fetchOf('/api/weather/', () => ((asked += 1), new Response('', { status: 503 })));
      await withGlobals({ fetch }, () => one.send());
      expect(asked).to.equal(4);
      expect(one.runs.map(({ name, args }) => [name, args])).to.deep.equal([['weather_of_yesterday', { town: 'Bern' }]]);
    });
  });

  describe('docs/memory.md', () => {
    const rest = (chat: Conversation) => until(() => !chat.matchesState('summarising'), 'the summary');
    const notes = JSON.stringify({ goal: 'a bicycle', done: 'looked', open: 'the size', facts: ['Rides to work every day'] });

    it('has limits and slots, and a store that is written to and asked', async () => {
      const { memoryOptions } = await load<{ memoryOptions: MemoryOptions }>('memory', 'options');
      const { createStore } = await load<{ createStore(rows?: Map<string, MemoryItem>): MemoryStore }>('memory', 'store');
      const rows = new Map<string, MemoryItem>();
      const replies = ['a1', 'a2', 'a3', notes, 'a4'];
      const one = talk(replies, { memoryStore: createStore(rows), memoryOptions });
      for (const question of ['q1', 'q2', 'q3']) await one.send(question);
      await rest(one.chat);
      expect([...rows.values()].map(({ text }) => text)).to.include('Rides to work every day');
      await one.send('What do I ride to?');
      const { system } = one.bodies().at(-1) ?? { system: '' };
      expect(system).to.include('- shop: Sells bicycles only').and.to.include('- Rides to work every day');
      await one.chat.forget();
      expect(rows.size).to.equal(0);
    });
  });

  describe('docs/sessions.md', () => {
    it('carries a session over', async () => {
      const { carry } = await load<{ carry(from: Conversation, to: Conversation): Promise<object> }>('sessions', 'carry');
      const one = talk(['Hello.']);
      const other = talk([]);
      await one.send('Hi');
      const file = await carry(one.chat, other.chat);
      expect(other.chat.messages.map(({ text }) => text)).to.deep.equal(['Hi', 'Hello.']);
      expect(file).to.include.keys('trace', 'toolLog');
    });

    it('has a cache that is asked, and cleared', async () => {
      const { createCache } = await load<{ createCache(): AnswerCache }>('sessions', 'cache');
      const one = talk(['Forty-two.', 'Forty-three.'], { answerCache: createCache() });
      expect([(await one.send('What?')).text, (await one.send('What?')).text]).to.deep.equal(['Forty-two.', 'Forty-two.']);
      await one.chat.clearCache();
      expect((await one.send('What?')).text).to.equal('Forty-three.');
    });
  });
});
