/** Calls that a model writes in a shape of its own: twelve shapes under each protocol. */
import { expect } from 'chai';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import { builtIn } from '../../src/protocols/built-in-protocols.js';
import own from '../fixtures/protocols/own-shapes.json' with { type: 'json' };
import { adding, userOf } from './adding.js';
import { cutieText, openaiText, scriptedFetch } from './scripted-fetch.js';

interface OwnShape {
  name: string;
  text: string;
  asks?: Partial<Record<string, string>>;
}
const { ownShapes, moreShapes }: Record<keyof typeof own, OwnShape[]> = own;
const ids = Object.keys(builtIn);
const milk = { item: 'milk', count: 2 };

function start(replies: string[], { native = false, ...options }: ConversationOptions & { native?: boolean } = {}) {
  const { fetch, asked } = scriptedFetch(replies.map((text) => () => (native ? openaiText(text) : cutieText(text))));
  // What of these is a dialect of models is read by default (below).
  const { chat, ran } = adding({ wire: native ? 'openai' : 'cutie', accept: 'strict', fetch, ...options });
  const { surface } = internalsOf(chat);
  const { cards, question, decide } = userOf(chat);
  /** The visible text of the replies. */
  const shown = () =>
    surface.view.views
      .filter(({ message }) => message.role === 'assistant')
      .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text.trim()] : [])));
  return {
    ...{ chat, asked, ran, cards, shown },
    async answer(verdict: 'allow' | 'deny') {
      const call = await question();
      expect(ran).to.deep.equal([]);
      decide(call, verdict);
      return call;
    },
  };
}

const words = ['Done.', 'Hello.', 'Sure.', 'Sure:', 'Sure, I add it:', 'I will add it:'];
const lax: ConversationOptions = { approval: 'auto', decide: () => Promise.resolve('allow' as const) };

describe('a call in a shape of the model’s own', () => {
  for (const { name, text, asks = {} } of ownShapes)
    it(`${name} runs nowhere unasked, whatever the host allows, and nobody reads the markup`, async () => {
      for (const id of ids.filter((one) => asks[one] !== 'runs')) {
        const protocol = await builtIn[id]!();
        const how = asks[id];
        const { chat, asked, ran, cards, shown, answer } = start([text, how ? 'Done.' : text, 'Hello.'], { ...lax, protocol: id });
        const turn = chat.sendMessage('add milk');
        if (how) {
          expect((await answer('allow')).flags, id).to.include(how);
          expect(await turn).to.include({ reason: 'stop', text: 'Done.' });
          expect(ran).to.deep.equal([milk]);
          // The model reads of itself the call as it should have been written.
          expect(asked[1]!.body.messages[1]!.text).to.include(protocol.writeCall!('add', milk, text.includes('x1') ? 'x1' : 'call_1'));
        } else {
          const { results, reason } = await turn;
          expect(ran, id).to.deep.equal([]);
          // Told with an example, once; then the turn ends with the truth.
          expect([results.map(({ code }) => code), reason, asked.length]).to.deep.equal([['MALFORMED_CALL', 'MALFORMED_CALL'], 'limit', 2]);
          expect(asked[1]!.body.messages.at(-1)!.text)
            .to.include('MALFORMED_CALL')
            .and.include(protocol.writeCall!('add', {}).slice(0, 12));
          const [card, another] = cards();
          expect([card!.status, text.includes(card!.raw!), another]).to.deep.equal(['error', true, undefined]);
          expect(words).to.include.members(shown());
          await chat.sendMessage('hello');
        }
        expect(words).to.include.members(shown());
      }
    });
});

describe('a call in a dialect of models', () => {
  const text = moreShapes[0]!.text;
  it('asks for a write, whatever the policy, and is told in the chosen protocol', async () => {
    for (const native of [false, true]) {
      const { chat, asked, ran, shown, answer } = start([`Sure.\n${text}<|im_end|>`, 'Done.'], {
        ...{ accept: 'active', approval: 'auto', native, ...(native && { protocol: 'native' }) },
      });
      const turn = chat.sendMessage('add milk');
      expect((await answer('allow')).flags).to.deep.equal(['foreign']);
      expect(await turn).to.include({ text: 'Done.' });
      expect([ran, shown()]).to.deep.equal([[milk], ['Sure.', 'Done.']]);
      if (!native) expect(asked[1]!.body.messages[1]!.text).to.include('<tool_use>').and.not.include('<tool_call>');
    }
  });

  const look = (after = '') => `{"name": "look", "arguments": {"at": "milk"}}${after}`;
  const cases: [what: string, reply: string, flags?: string[], shown?: string][] = [
    ['runs at once where a query is the whole reply', look()],
    ['asks where words follow the query', look('\nI look now.'), ['foreign', 'suspicious'], 'I look now.'],
    ['is offered where words are before it', `Sure.\n${look()}`, ['foreign', 'quoted'], 'Sure.'],
    ['is offered in a fence', `Sure.\n\`\`\`tool_code\nlook(at="milk")\n\`\`\``, ['foreign', 'quoted'], 'Sure.'],
    ['asks for a write that is the whole reply', ownShapes[0]!.text, ['foreign']],
  ];
  for (const [what, reply, flags, words] of cases)
    it(`${what}, if it has no marks`, async () => {
      const { chat, ran, shown, answer } = start([reply, 'Done.'], { accept: 'active', approval: 'auto', protocol: 'xml-invoke' });
      chat.registerTool({
        ...{ name: 'look', description: 'Looks.', risk: 'query' },
        parameters: { type: 'object', properties: { at: { type: 'string' } } },
        execute: (args) => void ran.push(args),
      });
      const turn = chat.sendMessage('look for milk');
      if (flags) expect((await answer('allow')).flags).to.have.members(flags);
      expect(await turn).to.include({ text: 'Done.' });
      expect([ran.length, shown()]).to.deep.equal([1, words === undefined ? ['Done.'] : [words, 'Done.']]);
    });
});

describe('a call as text under native', () => {
  for (const { name, text } of [...ownShapes, ...moreShapes])
    it(`is offered: ${name}`, async () => {
      const { chat, asked, ran, shown, answer } = start([text, 'Done.', 'Hello.'], { ...lax, native: true, protocol: 'native' });
      const turn = chat.sendMessage('add milk');
      expect((await answer('allow')).flags).to.include('quoted');
      expect(await turn).to.include({ text: 'Done.' });
      expect(ran).to.deep.equal([milk]);
      expect(words).to.include.members(shown());
      // From the next turn on the model is taught a protocol of text.
      await chat.sendMessage('hello');
      expect(asked.map(({ body }) => body.tools !== undefined)).to.deep.equal([true, true, false]);
    });
});
