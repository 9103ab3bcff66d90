// CI only: formats, wires and presets by the dozen
/** One widget, switched while it runs, from wire to wire and from preset to preset. That every format goes over every wire: `testing/combinations`. */
import { expect } from 'chai';
import { openPlayground, type Playground } from './playground.js';
import { ALLOW, card, type Chat } from './widget.js';

const WITH_TOOLS = ['openai', 'openai-responses', 'anthropic', 'ollama', 'gemini', 'ui-message-stream', 'ag-ui'];

describe('playground matrix', function () {
  this.timeout(180_000);
  let play: Playground;
  before(async () => {
    play = await openPlayground();
  });
  after(() => play.close());

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
