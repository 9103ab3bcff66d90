// CI only: formats, wires and presets by the dozen
/** One widget, switched while it runs: every wire with every way to answer, and the formats dealt out over them; with full effort all of all. */
import { expect } from 'chai';
import { isFullEffort } from '../helpers/effort.js';
import { SEED, shuffled } from './pairwise.js';
import { openPlayground, type Playground } from './playground.js';
import { ALLOW, card, type Chat } from './widget.js';

const PROTOCOLS = ['xml-invoke', 'json-action', 'vcp', 'json-tool-calls', 'tool-code'];
const WITH_TOOLS = ['openai', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'ui-message-stream', 'ag-ui'];
const WIRES = ['cutie', 'text', ...WITH_TOOLS];

describe(`playground matrix (SEED=${String(SEED)})`, function () {
  this.timeout(180_000);
  let play: Playground;
  before(async () => {
    play = await openPlayground();
  });
  after(() => play.close());

  const dealt = shuffled(PROTOCOLS);
  for (const [at, protocol] of dealt.entries())
    it(`works with ${protocol} over wire after wire`, async () => {
      await play.open();
      // Each wire meets two formats, and each format four wires.
      const wires = WIRES.filter((_, index) => isFullEffort || [0, 1].includes((index + at) % dealt.length));
      for (const wire of wires) {
        await play.choose({ protocol, wire });
        // Nothing proves that plain text is whole, so there even a harmless call asks.
        for (const { tools = [] } of await play.through(wire === 'text')) expect(tools, wire).to.deep.equal([]);
        expect(await play.textIn('request'), wire).to.include(`POST /api/scripted/${wire}/`);
        expect(await play.textIn('response'), wire).to.match(/^HTTP 200 \S.*\n\n[^]{20}/);
      }
      expect(play.driver.complaints).to.deep.equal([]);
    });

  it('works with the tool calls of the services themselves', async () => {
    await play.open('&protocol=native');
    for (const wire of WITH_TOOLS) {
      await play.choose({ wire });
      for (const body of await play.through()) expect(body, wire).to.have.property('tools').that.is.not.empty;
    }
    expect(play.driver.complaints).to.deep.equal([]);
  });

  it('plays every preset (Y-18)', async () => {
    const { driver } = play;
    await play.open('&wire=cutie');
    for (const preset of ['cutie-xml', 'json-block', 'aio-vcp', 'semi-auto', 'orchestrated']) {
      await play.choose({ preset });
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
      await play.send('What is on the list?');
      if (preset === 'semi-auto') await driver.click(ALLOW);
      await driver.waitFor(card('success', 'list_items'), 15_000);
      await driver.evaluate(() => (document.querySelector('tool-chat') as unknown as { cancelStream(): void }).cancelStream());
      await play.ended();
    }
    expect(await driver.evaluate(() => location.hash)).to.include('preset=orchestrated');
  });
});
