/** A page that goes on reading what another page began (S0-177, fault 47). */
import { expect } from 'chai';
import { cutie } from '../../src/transports/cutie.js';
import { readReply } from '../../src/transports/read-reply.js';
import { type ReplyRequest } from '../../src/transports/reply-request.js';
import { resumeFrom } from '../../src/transports/resume-from.js';

const ENDPOINT = 'http://relay.test/api/ai/chat/stream';
const ID = 'a'.repeat(32);
const frame = (n: number, event: string, data: object) => `id: ${ID}.${n}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const said = (n: number) => frame(n, 'message', { type: 'text', content: `${n},` });
const done = (n: number) => frame(n, 'done', { type: 'done', finish_reason: 'stop' });

describe('a reply that another page began', () => {
  let asked: { method: string; url: string; headers: Record<string, string> }[];
  let text: string;
  let places: { id: string; text: string }[];
  let stop: AbortController;
  beforeEach(() => {
    [asked, text, places, stop] = [[], '', [], new AbortController()];
  });

  const request = (replies: (string | Response | Promise<Response>)[]): ReplyRequest => ({
    wire: cutie,
    endpoint: ENDPOINT,
    turn: { messages: [{ role: 'user', text: 'hi' }], system: '', maxTokens: 10, stream: true },
    fetch: async (url, { method = 'GET', headers } = {}) => {
      asked.push({ method, url: String(url), headers: headers as Record<string, string> });
      if (method === 'DELETE') return new Response(null, { status: 204 });
      const reply = await (replies.shift() ?? new Response('', { status: 404 }));
      return typeof reply === 'string' ? new Response(reply, { headers: { 'content-type': 'text/event-stream' } }) : reply;
    },
    signal: stop.signal,
    requestTimeout: 60_000,
    heartbeat: 30_000,
    // Waits are over at once, but for the two clocks of a request.
    setTimer(callback, ms) {
      let live = true;
      if (ms < 10_000) queueMicrotask(() => live && callback());
      return () => void (live = false);
    },
  });
  const sink = {
    event: (event: { type: string; text?: string }) => void (text += event.type === 'text' ? event.text : ''),
    place: (id: string) => void places.push({ id, text }),
  };
  const methods = () => asked.map(({ method }) => method);

  it('goes on after the last event that it stored, each exactly once', async () => {
    const outcome = await resumeFrom(request([said(4) + said(5) + done(6)]), `${ID}.3`, sink);
    expect(outcome).to.deep.equal({ type: 'ended', finish: 'stop', proof: 'proved' });
    expect(text).to.equal('4,5,');
    expect(asked).to.have.lengthOf(1);
    expect(asked[0]).to.deep.include({ method: 'GET', url: `${ENDPOINT}/${ID}` });
    expect(asked[0]!.headers['last-event-id']).to.equal(`${ID}.3`);
  });

  it('is told a place only when all before it was told, so that both can be stored together', async () => {
    const pieces = [said(1), said(2).slice(0, 20), said(2).slice(20) + said(3), done(4)].map((piece) => new TextEncoder().encode(piece));
    let stored: { id: string; text: string } | undefined;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    await readReply(request([new Response(body, { headers: { 'content-type': 'text/event-stream' } })]), {
      ...sink,
      place: (id) => void places.push((stored = { id, text })),
    });
    expect(places).to.deep.equal([
      { id: `${ID}.1`, text: '1,' },
      { id: `${ID}.3`, text: '1,2,3,' },
    ]);
    // What was stored at any of them leads to the whole.
    for (const place of places) {
      text = place.text;
      const after = Number(place.id.split('.')[1]);
      const rest = [1, 2, 3].filter((n) => n > after).map(said);
      await resumeFrom(request([rest.join('') + done(4)]), place.id, sink);
      expect(text).to.equal('1,2,3,');
    }
    expect(stored).to.deep.equal({ id: `${ID}.3`, text: '1,2,3,' });
  });

  it('adds nothing twice where the server tells everything again', async () => {
    const outcome = await resumeFrom(request([said(1) + said(2) + said(3) + said(4) + done(5)]), `${ID}.3`, sink);
    expect(outcome.type).to.equal('ended');
    expect(text).to.equal('4,');
  });

  for (const [title, reply] of [
    ['is gone', new Response('', { status: 410 })],
    ['was never there', new Response('', { status: 404 })],
    ['is another', frame(9, 'message', { type: 'text', content: 'else' }).replaceAll(ID, 'b'.repeat(32))],
    ['has a gap', said(7)],
    ['was all there is', new Response(null, { status: 204 })],
  ] as const) {
    it(`stays cut where the rest ${title}, asks for nothing else, and lets go of it`, async () => {
      const outcome = await resumeFrom(request([reply instanceof Response ? reply.clone() : reply]), `${ID}.3`, sink);
      expect(outcome.type).to.equal('cut');
      expect(text).to.equal('');
      expect(methods().filter((method) => method === 'POST')).to.deep.equal([]);
      expect(methods()[0]).to.equal('GET');
    });
  }

  it('is tried again when the network fails meanwhile', async () => {
    const outcome = await resumeFrom(request([Promise.reject(new TypeError('offline')), said(4), said(5) + done(6)]), `${ID}.3`, sink);
    expect(outcome.type).to.equal('ended');
    expect(text).to.equal('4,5,');
    expect(methods()).to.deep.equal(['GET', 'GET', 'GET']);
  });

  it('asks nothing for an id that is none, or when it was stopped before', async () => {
    expect((await resumeFrom(request([]), 'nonsense', sink)).type).to.equal('cut');
    stop.abort();
    expect((await resumeFrom(request([]), `${ID}.3`, sink)).type).to.equal('aborted');
    expect(asked).to.deep.equal([]);
  });
});
