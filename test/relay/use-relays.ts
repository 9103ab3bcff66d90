/** A relay before an upstream that a test writes; both go when the test is over. */
import { afterEach, beforeEach } from 'mocha';
import { createRelay, type Relay, type RelayOptions } from '../../src/relay/index.js';
import { ask, follow, hello, ORIGIN, readEvents, type RelayEvent } from './ask.js';
import { startUpstream, type Answer, type Play, type Upstream } from './fake-upstream.js';

export const STREAM = '/api/ai/chat/stream';

export const streamOf = (body: string) => /^id: (\w+)\./m.exec(body)![1]!;
export const textOf = (events: readonly RelayEvent[]) => events.map(({ data }) => data['content'] ?? '').join('');
export const numbers = (events: readonly RelayEvent[]) => events.map(({ id }) => Number(id.split('.')[1]));
/** The events of a body that has not ended. */
export const eventsSoFar = (body: string) => readEvents(body.slice(0, body.lastIndexOf('\n\n') + 2));
export const get = (id: string, lastEventId?: string, headers: Record<string, string> = {}) =>
  new Request(`${ORIGIN}${STREAM}/${id}`, { headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) } });
export const remove = (id: string, headers: Record<string, string> = {}) =>
  new Request(`${ORIGIN}${STREAM}/${id}`, { method: 'DELETE', headers });

export const post = (url: string, text = 'Hi', signal?: AbortSignal) =>
  fetch(url + STREAM, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(hello(text)),
    ...(signal && { signal }),
  });

export const twoWords: Play = (answer) => {
  answer.open();
  answer.chunk('Hel');
  answer.chunk('lo');
  answer.end();
};

/** Says nothing but its headers by itself: the test says the rest, when it wants. */
export function byHand() {
  let reached!: (answer: Answer) => void;
  const answer = new Promise<Answer>((resolve) => (reached = resolve));
  const play: Play = async (given) => {
    given.open();
    reached(given);
    await given.closed;
  };
  return { play, answer };
}

/** The relays of one `describe`, all before one upstream. */
export function useRelays(defaults: RelayOptions = {}) {
  const closing: (() => unknown)[] = [];
  let upstream: Upstream;
  beforeEach(async () => void (upstream = await startUpstream(twoWords)));
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await upstream.close();
  });

  /** @param play what the model says from now on. Default: what it said before, and first `twoWords` */
  function relayTo(play?: Play, options: RelayOptions = {}): Relay {
    if (play) upstream.play(play);
    const relay = createRelay({ baseUrl: upstream.baseUrl, model: 'm', logger: false, ...defaults, ...options });
    closing.push(() => relay.close({ graceMs: 0 }));
    return relay;
  }

  async function begun(options: RelayOptions = {}, asked = ask()) {
    const { play, answer } = byHand();
    const relay = relayTo(play, options);
    const stream = follow(await relay(asked));
    const given = await answer;
    /** Says something, waits until the client has it, and gives the id of the stream. */
    const say = async (stream: ReturnType<typeof follow>, text: string) => {
      given.chunk(text);
      return streamOf(await stream.until(`"${text}"`));
    };
    return { relay, stream, ...given, say };
  }

  return {
    relayTo,
    begun,
    later: (close: () => unknown) => void closing.push(close),
    get upstream() {
      return upstream;
    },
  };
}
