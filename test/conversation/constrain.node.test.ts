/** `constrain="auto"`: who is given a grammar, and what becomes of those who do not want one. */
import { expect } from 'chai';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { accepts, parseGbnf } from '../protocols/gbnf.js';
import { adding } from './adding.js';
import { cutieText, openaiText, refusal } from './scripted-fetch.js';

interface Sent {
  grammar?: string;
  response_format?: { json_schema: { schema: object } };
}

/** @param refuses what a body must not hold */
function start(server: { llama?: boolean; refuses?: string; cutie?: boolean }, options: ConversationOptions = {}) {
  const bodies: Sent[] = [];
  let looks = 0;
  const { chat } = adding({
    ...{ endpoint: 'http://model.test/v1/chat/completions', wire: 'auto', constrain: 'auto' },
    fetch: (url, init) => {
      if (new URL(url as URL).pathname === '/props') {
        looks += 1;
        return Promise.resolve(server.llama ? Response.json({ default_generation_settings: {} }) : new Response('', { status: 404 }));
      }
      const body = JSON.parse(String(init?.body)) as Sent;
      bodies.push(body);
      if (server.refuses && server.refuses in body) return Promise.resolve(refusal(400, 'unknown field'));
      return Promise.resolve(server.cutie ? cutieText('Hi.') : openaiText('Hi.'));
    },
    ...options,
  });
  return { chat, bodies, looks: () => looks };
}

const XML = '<tool_use>\n<invoke name="add">\n<parameter name="item">milk</parameter>\n</invoke>\n</tool_use>';

describe('a grammar for the model', () => {
  it('goes to llama.cpp, which is known by what it says of itself, asked once', async () => {
    const { chat, bodies, looks } = start({ llama: true });
    await chat.sendMessage('hello');
    await chat.sendMessage('add milk', { tool: 'add' });
    expect(looks()).to.equal(1);
    const accepted = bodies.map(({ grammar = '' }) =>
      [XML, XML.replace('"add"', '"invent"'), 'I would rather talk.'].map((text) => accepts(parseGbnf(grammar), text)),
    );
    expect(accepted.slice(0, 2), 'where a tool is chosen, nothing else').to.deep.equal([
      [true, false, true],
      [true, false, false],
    ]);
  });

  it('goes to nobody by default, and to nobody who does not read it', async () => {
    for (const [server, options] of [
      [{ llama: true }, { constrain: 'off' }],
      [{ llama: true }, { protocol: 'native' }],
      [{ llama: true }, { tools: 'off' }],
      [{ llama: true }, { promptOptions: { clarify: true } }],
      [{}, {}],
    ] as const) {
      const { chat, bodies } = start(server, options);
      await chat.sendMessage('hello');
      expect(Object.keys(bodies[0]!)).to.not.include.members(['grammar']).and.not.include.members(['response_format']);
    }
  });

  it('goes through our relay, and is left out once that has refused it', async () => {
    const endpoint = 'http://model.test/api/ai/chat/stream';
    const open = start({ cutie: true }, { endpoint });
    await open.chat.sendMessage('hello');
    expect(open.bodies[0]!.grammar).to.be.a('string');
    const strict = start({ cutie: true, refuses: 'grammar' }, { endpoint });
    expect(await strict.chat.sendMessage('hello')).to.include({ success: true });
    await strict.chat.sendMessage('again');
    expect(strict.bodies.map((body) => 'grammar' in body)).to.deep.equal([true, false, false]);
  });

  it('is a JSON schema elsewhere only where one call has to come, in the notation that is JSON', async () => {
    const { chat, bodies } = start({}, { protocol: 'json-tool-calls' });
    await chat.sendMessage('hello');
    await chat.sendMessage('add milk', { tool: 'add' });
    expect(bodies[0]!.response_format).to.equal(undefined);
    expect(JSON.stringify(bodies[1]!.response_format)).to.include('"enum":["add"]').and.include('"item"');
    expect(bodies[1]!.grammar).to.equal(undefined);
  });
});
