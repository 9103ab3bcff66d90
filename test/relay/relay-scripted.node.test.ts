import { expect } from 'chai';
import { createRelay, type RelayOptions } from '../../src/relay/index.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { ask, follow, hello, readEvents } from './ask.js';

describe('relay before the scripted model', () => {
  const relayWith = (options: RelayOptions = {}) => createRelay({ upstream: scriptedUpstream({ delayMs: 0 }), logger: false, ...options });
  const events = async (text: string, relay = relayWith()) => readEvents(await (await relay(ask(hello(text)))).text());

  it('streams an answer to its end', async () => {
    const all = await events('hello');
    expect(all.length).to.be.above(5);
    expect(all.flatMap(({ data }) => data['content'] ?? []).join('')).to.match(/^Hello!/);
    expect(all.at(-1)!.data).to.deep.include({ type: 'done', finish_reason: 'stop', model: 'scripted' });
  });

  it('makes an error event of every fault', async () => {
    expect((await events('/fault cut')).at(-1)!.data).to.include({ type: 'error', code: 'upstream_broken' });
    expect((await events('/fault hang', relayWith({ timeout: 50 }))).at(-1)!.data).to.include({ type: 'error', code: 'upstream_stalled' });
  });

  it('passes a refusal and its wait on, and answers the second try', async () => {
    const relay = relayWith();
    const refused = await relay(ask(hello('/fault 429')));
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '2']);
    expect(readEvents(await refused.text())[0]!.data).to.include({ code: 'upstream_rate_limit', retryable: true });
    expect((await events('/fault 429', relay)).at(-1)!.event).to.equal('done');
  });

  it('stops the model when the client leaves and nobody may come back', async () => {
    const upstream = scriptedUpstream({ delayMs: 1 });
    let stopped: Promise<unknown> | undefined;
    const relay = relayWith({
      resumeWindow: 0,
      upstream(request, signal) {
        stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        return upstream(request, signal);
      },
    });
    const stream = follow(await relay(ask(hello('/fault long'))));
    await stream.until('message');
    await stream.cancel();
    await stopped;
  });
});
