/** A simpler mode instead of none (S0-144): one whole answer where no stream can be had, plain chat where tools cannot. */
import type { Server, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { en } from '../../src/i18n/en.js';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import { closeServer, listen, originOf } from '../helpers/http-server.js';
import { call, talk, until, useFaultServer, type Talk, type TalkOptions } from './talk.js';

interface Backend {
  /** Paths that were asked, in order. */
  asked: string[];
  stream: Route;
  whole: Route;
}

type Route = (response: ServerResponse) => unknown;
const sends = (code: number, type: string, body: string): Route => {
  return (response) => response.writeHead(code, { 'content-type': type }).end(body);
};
const status = (code: number) => sends(code, 'text/plain', '');
const answer = (reply: string) => sends(200, 'application/json', JSON.stringify({ reply }));
const frame = (content: string) => `data: ${JSON.stringify({ type: 'text', content })}\n\n`;
const streamed = (text: string, end = 'data: {"type":"done"}\n\n') => sends(200, 'text/event-stream', frame(text) + end);

/** Two routes that fail each in its own way. */
function useBackend(): Backend & { talk(options?: TalkOptions): Talk } {
  const backend: Backend = { asked: [], stream: status(500), whole: answer('All at once.') };
  let server: Server;
  before(async () => {
    server = await listen((request, response) => {
      request.resume().on('end', () => {
        backend.asked.push(request.url ?? '');
        (request.url?.endsWith('/stream') ? backend.stream : backend.whole)(response);
      });
    });
  });
  after(() => closeServer(server));
  beforeEach(() => Object.assign(backend, { asked: [], stream: status(500), whole: answer('All at once.') }));
  return Object.assign(backend, {
    talk: (options: TalkOptions = {}) =>
      talk([], { endpoint: `${originOf(server)}/api/ai/chat/stream`, clock: atOnce as never, heartbeat: 0, ...options }),
  });
}

/** Waits pass at once; time limits of requests stay what they are. */
const atOnce = {
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms > 5000 ? ms : 0),
  clearTimeout: (id: unknown) => clearTimeout(id as ReturnType<typeof setTimeout>),
};

const [STREAM, WHOLE] = ['/api/ai/chat/stream', '/api/ai/chat'];
const notices = ({ view }: Talk) => view().notices?.map(({ text }) => text) ?? [];
const surfaceOf = ({ chat }: Talk) => internalsOf(chat).surface;
async function takesOffer(one: Talk): Promise<void> {
  surfaceOf(one).takeOffer();
  await until(() => !one.chat.isLoading && one.chat.messages.length === 2, 'the answer');
}

describe('where no stream can be had', () => {
  useFaultServer({ settles: true });
  const backend = useBackend();

  it('asks for the whole answer with the last of its attempts, says so, and remembers it, also when the notice is closed', async () => {
    const one = backend.talk();
    expect(await one.send()).to.include({ success: true, text: 'All at once.' });
    expect(backend.asked).to.deep.equal([STREAM, STREAM, WHOLE]);
    expect(notices(one)).to.deep.equal(['Streaming does not work here, so answers appear all at once']);
    expect(one.chat.error).to.equal(null);
    await one.send('more');
    surfaceOf(one).answerNotice('whole', 'close');
    await one.send('and more');
    expect([backend.asked.slice(3), notices(one)]).to.deep.equal([[WHOLE, WHOLE], []]);
  });

  for (const [what, fault] of Object.entries({
    404: status(404),
    405: status(405),
    'signing in first': sends(200, 'text/html', '<p>Please sign in'),
  }))
    it(`asks once for ${what}, offers it, and does it by itself when it happens again`, async () => {
      backend.stream = fault;
      const one = backend.talk();
      await one.send();
      expect([backend.asked, one.view().failure?.offer]).to.deep.equal([[STREAM], 'Answer without streaming']);
      expect(await one.chat.retryLastMessage()).to.include({ success: true, text: 'All at once.' });
      expect(backend.asked).to.deep.equal([STREAM, STREAM, WHOLE]);
    });

  it('only asks the person where the host wants that, and does what it offers at a click', async () => {
    const one = backend.talk({ degrade: 'ask' });
    await one.send();
    expect([backend.asked, one.view().failure?.offer]).to.deep.equal([[STREAM, STREAM, STREAM], 'Answer without streaming']);
    await takesOffer(one);
    expect([backend.asked.slice(3), notices(one).length]).to.deep.equal([[WHOLE], 1]);
  });

  it('neither does nor offers it where the host wants neither', async () => {
    for (const options of [{ degrade: 'off' }, { errorStrategies: { network: [{ retry: 2 }, 'explain'] } }] as const) {
      backend.asked = [];
      const one = backend.talk(options);
      await one.send();
      expect(backend.asked).to.deep.equal([STREAM, STREAM, STREAM]);
      expect(one.view().failure).to.not.have.property('offer');
    }
  });

  it('does not take every status for a fault of the stream', async () => {
    for (const code of [400, 401, 403, 413, 422, 429, 529]) {
      backend.stream = status(code);
      const one = backend.talk();
      await one.send();
      await one.chat.retryLastMessage();
      expect(backend.asked, String(code)).to.not.include(WHOLE);
      expect(one.view().failure, String(code)).to.not.have.property('offer');
    }
  });

  it('takes a stream that breaks before it begins for a fault of the stream, and one that has begun not', async () => {
    backend.stream = sends(200, 'text/event-stream', ': nothing\n\n');
    const one = backend.talk();
    expect(await one.send()).to.include({ text: 'All at once.' });
    expect(backend.asked).to.deep.equal([STREAM, STREAM, WHOLE]);
    backend.asked = [];
    backend.stream = streamed('Half', '');
    const cut = backend.talk();
    expect(await cut.send()).to.include({ reason: 'cut', text: 'Half' });
    expect(backend.asked).to.deep.equal([STREAM]);
  });

  it('never changes its ways after a tool of the turn has run', async () => {
    backend.stream = streamed(call('create_task'));
    const one = backend.talk();
    one.tool('create_task', {
      execute: () => {
        backend.stream = status(500);
        return 'done';
      },
    });
    await one.send();
    expect([backend.asked, one.runs.length]).to.deep.equal([[STREAM, STREAM], 1]);
  });
});

describe('where tools cannot be had', () => {
  useFaultServer({ settles: true });
  const backend = useBackend();
  const { vcp } = builtIn;
  let isBroken = true;
  beforeEach(() => {
    isBroken = true;
    const gone = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'));
    Object.assign(builtIn, { vcp: () => (isBroken ? gone() : vcp!()) });
  });
  afterEach(() => void Object.assign(builtIn, { vcp }));
  const withGone = (options: TalkOptions = {}) => {
    backend.stream = streamed('By myself.');
    const one = backend.talk({ protocol: 'vcp', systemPrompt: 'Be brief. {{tools}}', ...options });
    one.tool('create_task');
    return one;
  };

  it('goes on as a plain chat when nothing can be taught, and says so', async () => {
    const one = withGone();
    expect(await one.send()).to.include({ success: true, text: 'By myself.' });
    expect(notices(one)).to.deep.equal(['Tools could not be loaded; the assistant answers without them']);
    expect(one.chat.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant']);
    backend.stream = streamed(call('create_task'));
    await one.send('once more');
    expect([one.runs, one.cards()], 'runs nothing of what the model writes then').to.deep.equal([[], []]);
    isBroken = false;
    backend.stream = streamed('With tools.');
    await one.send('again');
    expect(notices(one)).to.deep.equal([]);
  });

  it('asks first where the host wants that, and not at all where it wants neither', async () => {
    const asks = withGone({ degrade: 'ask' });
    expect(await asks.send()).to.include({ reason: 'error' });
    expect([asks.view().failure?.offer, asks.chat.error, backend.asked]).to.deep.equal(['Answer without tools', en.loadFailed, []]);
    await takesOffer(asks);
    expect(asks.chat.messages.at(-1)?.text).to.equal('By myself.');
    const off = withGone({ degrade: 'off' });
    expect(await off.send()).to.include({ reason: 'error' });
    expect(off.view().failure).to.not.have.property('offer');
  });

  it('calls an error of code what it is, and leaves no tools out for it', async () => {
    const error = new TypeError('undefined is not iterable');
    backend.stream = streamed('With tools.');
    const one = backend.talk({ protocol: 'own' });
    const define = () => {
      if (isBroken) throw error;
      return 'The tools.';
    };
    const own = { id: 'own', parseToolRequests: () => [], formatToolResults: () => '', generateToolDefinitions: define };
    one.chat.registerProtocol(own as never);
    one.tool('create_task');
    expect((await one.send()).error).to.include({ code: 'EXECUTION_FAILED', message: en.codeFailed });
    expect([backend.asked, notices(one), one.view().failure?.offer]).to.deep.equal([[], [], undefined]);
    expect(one.entries.find(({ level }) => level === 'error')?.stack).to.contain(error.message);
    isBroken = false;
    expect(await one.chat.retryLastMessage()).to.include({ text: 'With tools.' });
  });
});
