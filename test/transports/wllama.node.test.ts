import { expect } from 'chai';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import { en } from '../../src/i18n/en.js';
import type { ReplyOutcome } from '../../src/transports/reply-request.js';
import type { Wire } from '../../src/transports/wire.js';
import { wllama, type WllamaLibrary, type WllamaOptions } from '../../src/transports/wllama.js';
import { listen, type Listening } from '../relay/listen.js';
import { until } from './clock.js';
import { replaceGlobal } from './fake-language-model.js';
import { askFor, requestFor } from './reply.js';

interface Script {
  pieces?: string[];
  finish?: string;
  breaks?: Error;
  loadBreaks?: Error;
  endless?: boolean;
}

function fakeLibrary(script: Script = {}) {
  const seen = { cached: new Set<string>(), loaded: [] as string[], asked: [] as Record<string, unknown>[], exits: 0, running: 0, most: 0 };
  class Wllama {
    modelManager = { getModels: () => Promise.resolve([...seen.cached].map((url) => ({ url }))) };
    async loadModelFromUrl(url: string, { progressCallback }: { progressCallback(progress: { loaded: number; total: number }): void }) {
      for (const loaded of [1, 2]) progressCallback({ loaded, total: 2 });
      await Promise.resolve();
      if (script.loadBreaks) throw script.loadBreaks;
      seen.cached.add(url);
      seen.loaded.push(url);
    }
    createChatCompletion(request: Record<string, unknown> & { abortSignal: AbortSignal }) {
      seen.asked.push(request);
      return Promise.resolve(answer(request.abortSignal));
    }
    exit() {
      seen.exits += 1;
      return Promise.resolve();
    }
  }
  async function* answer(signal: AbortSignal) {
    seen.most = Math.max(seen.most, (seen.running += 1));
    try {
      for (const content of script.pieces ?? ['Hel', 'lo']) yield { choices: [{ delta: { content }, finish_reason: null }] };
      if (script.breaks) throw script.breaks;
      while (script.endless && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 1));
      yield { choices: [{ delta: {}, finish_reason: script.finish ?? 'stop' }], usage: { prompt_tokens: 7, completion_tokens: 2 } };
    } finally {
      seen.running -= 1;
    }
  }
  return { seen, load: () => Promise.resolve({ Wllama } as unknown as WllamaLibrary) };
}

let server: Listening;
let models = 0;
const heads: string[] = [];
before(async () => {
  server = await listen(({ method, url }) => {
    heads.push(`${method} ${url}`);
    const size = new URL(url).searchParams.get('size') ?? '491400064';
    return Promise.resolve(new Response(null, { status: url.includes('missing') ? 404 : 200, headers: { 'content-length': size } }));
  });
});
after(() => server.close());

const model = (query = '') => `${server.url}/${String((models += 1))}.gguf${query}`;

function withModel(script: Script = {}) {
  const library = fakeLibrary(script);
  const address = model();
  library.seen.cached.add(address);
  return { ...library, address, wire: wireOf(library) };
}

const ask = (wire: Wire, address: string, signal = new AbortController().signal) =>
  askFor({ wire, endpoint: `wllama:${address}`, signal, turn: { ...requestFor().turn, maxTokens: 200, temperature: 0 } });

const line = (outcome: ReplyOutcome) => (outcome.type === 'failed' ? failureLines(outcome.error, en).join(' · ') : outcome.type);
const wireOf = (library: { load: WllamaOptions['load'] }) => wllama({ load: library.load!, wasm: '/wllama.wasm' });

describe('wire wllama', () => {
  it('says how much there is to download before it downloads anything, and begins when it is asked again', async () => {
    const library = fakeLibrary();
    const address = model();
    const first = await ask(wireOf(library), address);
    expect(line(first.outcome)).to.equal(en.needsDownload('492'));
    expect(first.outcome).to.deep.include({ type: 'failed', retry: 'none' });
    expect(library.seen.loaded).to.deep.equal([]);
    expect(heads.at(-1)).to.match(/^HEAD /);

    const second = await ask(wireOf(library), address);
    expect(second.outcome).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
    expect(second.events).to.deep.equal([
      { type: 'progress', fraction: 0.5 },
      { type: 'progress', fraction: 1 },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'usage', input: 7, output: 2 },
    ]);
    expect(library.seen.asked[0]).to.deep.include({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 200,
      temperature: 0,
    });
  });

  it('asks nobody about a model that is on the device, shows no download, keeps it, and lets it go for another one', async () => {
    const { wire, address: one, seen } = withModel({ finish: 'length' });
    const before = heads.length;
    const two = model();
    seen.cached.add(two);
    const { outcome, events } = await ask(wire, one);
    expect(outcome).to.deep.equal({ type: 'ended', finish: 'length', proof: 'proved' });
    expect(events.some(({ type }) => type === 'progress')).to.equal(false);
    await ask(wire, one);
    expect(seen.loaded).to.deep.equal([one]);
    await ask(wire, two);
    expect(seen).to.deep.include({ loaded: [one, two], exits: 1 });
    expect(heads).to.have.length(before);
  });

  it('answers one question after the other', async () => {
    const { wire, address, seen } = withModel();
    const answers = await Promise.all([1, 2, 3].map(() => ask(wire, address)));
    expect(answers.map(({ outcome }) => outcome.type)).to.deep.equal(['ended', 'ended', 'ended']);
    expect(seen).to.deep.include({ most: 1, loaded: [address] });
  });

  it('stops when it is stopped, and the next question is answered', async () => {
    const { wire, address, seen } = withModel({ endless: true });
    for (const asked of [1, 2]) {
      const stop = new AbortController();
      const stopped = ask(wire, address, stop.signal);
      await until(() => seen.asked.length === asked && seen.running > 0);
      stop.abort();
      expect((await stopped).outcome.type).to.equal('aborted');
      await until(() => seen.running === 0);
    }
  });

  it('says that the device has no room, before a byte is fetched', async () => {
    const library = fakeLibrary();
    expect(line((await ask(wireOf(library), model('?size=3000000000'))).outcome)).to.equal(en.noRoom('3000'));
    const restore = replaceGlobal('navigator', { deviceMemory: 0.5 });
    try {
      expect(line((await ask(wireOf(library), model())).outcome)).to.equal(en.noRoom('492'));
    } finally {
      restore();
    }
    expect(library.seen.loaded).to.deep.equal([]);
  });

  it('has no model where the library, or the model, is not there', async () => {
    const away = wllama({ load: () => Promise.reject(new Error('no such module')), wasm: '' });
    expect(line((await ask(away, model())).outcome)).to.equal(en.noLocalModel);
    expect(line((await ask(wireOf(fakeLibrary()), `${server.url}/missing.gguf`)).outcome)).to.equal(en.noLocalModel);
    expect(line((await ask(wireOf(fakeLibrary()), 'data:text/plain,alert(1)')).outcome)).to.equal(en.noLocalModel);
  });

  it('lets a model go that could not be loaded and tries anew; where it breaks off in the middle, what came is kept', async () => {
    const script: Script = { loadBreaks: new Error('out of memory'), breaks: new Error('inference failed') };
    const { wire, address, seen } = withModel(script);
    expect((await ask(wire, address)).outcome.type).to.equal('failed');
    expect(seen.exits).to.equal(1);
    delete script.loadBreaks;
    const { outcome, text } = await ask(wire, address);
    expect(['cut', 'failed']).to.include(outcome.type);
    expect(text).to.equal('Hello');
    delete script.breaks;
    expect((await ask(wire, address)).outcome.type).to.equal('ended');
  });
});
