/** Requests of every wire: their form, pictures and tools. That none speaks of tools under a text protocol: `testing/combinations`. */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { agUi } from '../../src/transports/ag-ui.js';
import { anthropic } from '../../src/transports/anthropic.js';
import { cutie } from '../../src/transports/cutie.js';
import { gemini } from '../../src/transports/gemini.js';
import { openai } from '../../src/transports/openai.js';
import { openaiResponses } from '../../src/transports/openai-responses.js';
import { plainText } from '../../src/transports/text.js';
import { uiMessageStream } from '../../src/transports/ui-message-stream.js';
import { unsentAttachments } from '../../src/transports/wire-messages.js';
import type { TurnMessage, TurnRequest, Wire } from '../../src/transports/wire.js';
import { PNG, turn, withPictures, withTools } from './turns.js';
import agents from '../fixtures/turns/agents.json' with { type: 'json' };
import given from '../fixtures/turns/attachments.json' with { type: 'json' };

const endpoint = new URL('https://x.example/v1/models/m:streamGenerateContent?alt=sse');

/** `request.json` of a wire: the bodies for `turn` with a model, for its pictures and for its tools. The last two are compared only in the fields that are given. */
interface Expected {
  accept: string;
  plain: object;
  pictures: object;
  tools: object;
}

const says = (role: string) => (content: string) => ({ role, content });
const user = says('user');

const attachments = given.attachments;
const carried: Record<string, string[]> = given.carried;

for (const { id, load } of builtInWires) {
  describe(`requests of the wire ${id}`, () => {
    let wire: Wire;
    before(async () => void (wire = await load()));

    it('are the same for the same turn, which is not changed', () => {
      for (const request of [turn, withPictures, withTools]) {
        const before = JSON.stringify(request);
        // AG-UI wants every run to have an id of its own.
        const send = () => JSON.stringify(wire.request({ ...request, sessionId: 's' }, endpoint)).replace(/"runId":"[^"]*"/, '');
        expect(send()).to.equal(send());
        expect(JSON.stringify(request)).to.equal(before);
        expect(endpoint.search).to.equal('?alt=sse');
      }
    });

    it('carry the pictures that the wire says, and name all others (S0-189)', () => {
      const left = unsentAttachments(attachments, wire.images).map(({ name }) => name);
      const names = attachments.map(({ name }) => name).filter((name) => !left.includes(name));
      expect(names, `${id} in test/fixtures/turns/attachments.json`).to.deep.equal(carried[id]);
      for (const one of attachments) {
        const request = { ...turn, messages: [{ role: 'user', text: 'See', attachments: [one] }] };
        const sent = JSON.stringify(wire.request(request, endpoint).body);
        expect(sent.includes(`[${one.name}, ${one.type}]`), `${one.name} is named`).to.equal(left.includes(one.name));
        expect(sent.includes(one.url.split(',')[1] ?? one.url), `${one.name} is carried`).to.equal(!left.includes(one.name));
      }
    });

    const golden = new URL(`../fixtures/wires/${id}/request.json`, import.meta.url);
    if (!existsSync(golden)) return;
    const expected = JSON.parse(readFileSync(golden, 'utf8')) as Expected;

    it('have the form of the service', () => {
      const { url, headers, body } = wire.request({ ...turn, model: 'm' }, endpoint);
      expect(url.href).to.equal(endpoint.href);
      expect(headers).to.include({ 'content-type': 'application/json', accept: expected.accept });
      expect(body).to.deep.equal(expected.plain);
      expect(wire.request(withPictures, endpoint).body).to.deep.include(expected.pictures);
      expect(wire.request(withTools, endpoint).body).to.deep.include(expected.tools);
      const whole = wire.request({ ...turn, stream: false }, endpoint);
      expect(whole.headers['accept']).to.equal('application/json');
      if (id !== 'gemini') expect(whole.body).to.have.property('stream', false).and.not.to.have.property('stream_options');
      const withoutPrompt = wire.request({ ...turn, system: '' }, endpoint).body;
      expect(JSON.stringify(withoutPrompt)).not.to.match(/system|instructions/i);
    });

    it('tell a result without its call in words, and leave out a call without its result', () => {
      const bodyFor = (messages: TurnMessage[]) => JSON.stringify(wire.request({ ...withTools, messages }, endpoint).body);
      const orphan = bodyFor([{ role: 'tool', text: 'an orphan', toolCallId: 'call_x', toolName: 'get_user' }]);
      expect(orphan)
        .to.match(/tool_result.*get_user.*an orphan/)
        .and.not.to.contain('call_x');
      const called: TurnMessage = { role: 'assistant', text: 'Calling.', toolCalls: [{ id: 'call_x', name: 'get_user', arguments: {} }] };
      expect(bodyFor([called, { role: 'user', text: 'And?' }]))
        .to.contain('Calling.')
        .and.not.to.contain('call_x');
      expect(bodyFor([called, { role: 'tool', text: 'Ada', toolCallId: 'call_x' }])).to.match(/call_x.*get_user.*call_x/);
    });
  });
}

for (const wire of [uiMessageStream, agUi])
  it(`a request of ${wire.id} has each result where an agent looks for it, and ids that stay and differ`, () => {
    const lost = { role: 'assistant', text: 'Lost.', toolCalls: [{ id: 'call_c', name: 'get_user', arguments: {} }] };
    const messages = [...withTools.messages, ...withPictures.messages, lost];
    const sentIn = (sessionId: string, from = 0) => {
      const body = wire.request({ ...withTools, messages: messages.slice(from), sessionId }, endpoint).body as {
        messages: { id: string }[];
      };
      return body.messages;
    };
    const sent = sentIn('s');
    expect(sent.map(({ id: _, ...rest }) => rest)).to.deep.equal(agents[wire.id as 'ag-ui']);
    expect(new Set(sent.map(({ id }) => id)).size).to.equal(sent.length);
    expect(sentIn('s', 4).at(-1)).to.deep.equal(sent.at(-1));
    expect(sentIn('t').at(-1)!.id).to.not.equal(sent.at(-1)!.id);
  });

describe('a request of one wire', () => {
  const bodyOf = (wire: Wire, more: Partial<TurnRequest> = {}, address = 'https://x.example/') =>
    wire.request({ ...turn, ...more }, new URL(address)).body;
  const seed = (line: string) => {
    const [role = '', text = ''] = line.split(/ (.*)/s);
    return { role, text };
  };

  it('is long enough for its service, under the name that this has for the length', () => {
    const body = bodyOf(openai, {}, 'https://api.openai.com/v1/chat/completions');
    expect(body).to.have.property('max_completion_tokens', 2000);
    expect(body).not.to.have.property('max_tokens');
    expect(bodyOf(openaiResponses, { maxTokens: 1 })).to.have.property('max_output_tokens', 16);
  });

  it('names the version of Anthropic, and says that it comes from a page', () => {
    expect(anthropic.request(turn, endpoint).headers).to.deep.equal({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': '2026-10-21',
      'anthropic-dangerous-direct-browser-access': 'true',
    });
  });

  it('takes turns: neighbours of one role are one, blank text is none, and with Anthropic the user begins', () => {
    const messages = ['assistant a', 'user b', 'system c', 'assistant  ', 'user d'].map(seed);
    const last = { role: 'user', content: ['b', 'c', 'd'].map((text) => ({ type: 'text', text })) };
    expect(bodyOf(anthropic, { messages })).to.deep.include({ messages: [user('…'), says('assistant')('a'), last] });
    const contents = [{ role: 'user', parts: [{ text: 'b' }, { text: 'c' }] }];
    expect(bodyOf(gemini, { messages: messages.slice(1, 3) })).to.deep.include({ contents });
  });

  it('has Gemini’s address right: method, framing and model', () => {
    const base = 'https://generativelanguage.googleapis.com/v1beta/models';
    const stream = ':streamGenerateContent';
    for (const [given, more, sent] of [
      [`/m${stream}`, {}, `/m${stream}?alt=sse`],
      ['/m:generateContent?key=k', {}, `/m${stream}?key=k&alt=sse`],
      [`/m${stream}?alt=sse&key=k`, { stream: false }, '/m:generateContent?key=k'],
      [`/m${stream}`, { model: 'n-2.5' }, `/n-2.5${stream}?alt=sse`],
      [`/{model}${stream}`, { model: 'models/n' }, `/n${stream}?alt=sse`],
      [`/m${stream}`, { model: '../x?y' }, `/..%2Fx%3Fy${stream}?alt=sse`],
    ] as const)
      expect(gemini.request({ ...turn, ...more }, new URL(base + given)).url.href).to.equal(base + sent);
  });

  for (const [wire, accept] of [
    [cutie, 'text/event-stream'],
    [plainText, 'text/plain'],
  ] as const)
    it(`is that of the seed (${wire.id}), which knows only text: the rest is told in words`, () => {
      const { url, headers, body } = wire.request({ ...turn, model: 'm' }, new URL('https://x.example/chat/stream?k=1'));
      expect([url.href, headers]).to.deep.equal(['https://x.example/chat/stream?k=1', { 'content-type': 'application/json', accept }]);
      const common = { system: 'Be brief.', max_tokens: 2000, stream: true };
      expect(body).to.deep.equal({ ...common, messages: [seed('user 你好')], model: 'm' });
      const messages: TurnMessage[] = [
        { role: 'system', text: 'a' },
        { role: 'user', text: 'b', attachments: [{ type: 'image/png', name: 'cat.png', url: PNG }] },
        { role: 'assistant', text: 'c', toolCalls: [{ id: '1', name: 'now', arguments: {} }] },
        { role: 'tool', text: 'd', toolCallId: '1', toolName: 'now' },
        { role: 'assistant', text: '' },
      ];
      const sent = ['user a', 'user b\n[cat.png, image/png]', 'assistant c', 'tool d'].map(seed);
      expect(bodyOf(wire, { messages, tools: [{ name: 'now' }] })).to.deep.equal({ ...common, messages: sent });
    });

  it('goes to the route of our relay beside it when it does not stream', () => {
    const to = (address: string) => cutie.request({ ...turn, stream: false }, new URL(address));
    expect(to('https://x.example/api/ai/chat/stream?k=1').url.href).to.equal('https://x.example/api/ai/chat?k=1');
    expect(to('https://x.example/chat').url.href).to.equal('https://x.example/chat');
    expect(to('https://x.example/chat').headers['accept']).to.equal('application/json');
  });
});

it('names no picture if it is unknown what a wire carries', () => expect(unsentAttachments(attachments, undefined)).to.deep.equal([]));
