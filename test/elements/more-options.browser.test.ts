/** The options that the engine brings with it: set at any time and in any way, and what each of them changes. */
import { expect } from '@open-wc/testing';
import type { ToolChat } from '../../src/elements/tool-chat/tool-chat.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { appears, find, frame, part, until } from './helpers.js';
import { answerByHand, call, chatOnPage, listening, tool, untilTalking, type Request } from './tool-chat-stage.js';

/** Attribute, property, what it is when nobody set it, another value that fits, and one that does not. */
const CHOICES = [
  ['accept', 'accept', 'active', 'any', 'every'],
  ['parse-mode', 'parseMode', 'stream', 'complete', 'done'],
  ['on-broken-call', 'onBrokenCall', 'repair', 'skip', 'ignore'],
  ['result-role', 'resultRole', 'user-envelope', 'tool', 'user'],
  ['prompt-injection', 'promptInjection', 'client', 'off', 'none'],
  ['result-loop', 'resultLoop', 'multi', 'single', 'double'],
  ['on-deny', 'onDeny', 'feed-back', 'stop', 'shrug'],
  ['coercion', 'coercion', 'schema', 'none', 'Schema'],
  ['memory', 'memory', 'window', 'full', 'forever'],
  ['approval', 'approval', 'by-risk', 'always', 'never'],
  ['calls-per-turn', 'callsPerTurn', 'many', 'one', '2'],
  ['dispatch', 'dispatch', 'on-turn-end', 'on-block', 'at-once'],
  ['constrain', 'constrain', 'off', 'auto', 'always'],
  ['execution', 'execution', 'serial', 'parallel', 'random'],
  ['block-timeout', 'blockTimeout', 10_000, 1000, 'soon'],
  ['max-accumulator', 'maxAccumulator', 1_048_576, 1000, 'Infinity'],
] as const;
const OBJECTS = {
  beforeSend: (request: object) => request,
  protocolByModel: { 'house*': 'vcp' },
  promptOptions: { counterExamples: true },
  promptTemplates: { 'xml-invoke': { rules: 'House rules.' } },
};
const ALL = [...CHOICES.map(([, property, fallback, other]) => [property, fallback, other] as const)];

const any = (chat: object) => chat as Record<string, unknown>;
const pick = (from: object, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, any(from)[name]]));
const others = Object.fromEntries(ALL.map(([property, , other]) => [property, other]));
const fallbacks = Object.fromEntries(ALL.map(([property, fallback]) => [property, fallback]));
const names = ALL.map(([property]) => property);

/** On the page, with its engine. */
async function place(chat: ToolChat): Promise<ToolChat> {
  const box = document.createElement('main');
  Object.assign(box.style, { position: 'fixed', inset: '0 auto auto 0', width: '480px', height: '560px' });
  box.append(chat);
  document.body.append(box);
  await untilTalking(chat);
  return chat;
}

describe('the options of the engine', () => {
  afterEach(() => {
    for (const chat of document.querySelectorAll('body > main > tool-chat')) chat.closest('main')?.remove();
  });

  for (const [attribute, property, fallback, other, unfit] of CHOICES)
    it(`${attribute}: an attribute and a property, and what does not fit falls back with one warning`, async () => {
      const chat = await chatOnPage();
      const said = await listening(() => {
        expect(any(chat)[property]).to.equal(fallback);
        chat.setAttribute(attribute, String(other));
        expect(any(chat)[property]).to.equal(other);
        chat.removeAttribute(attribute);
        expect(any(chat)[property]).to.equal(fallback);
        any(chat)[property] = other;
        expect([any(chat)[property], chat.config[property]]).to.deep.equal([other, other]);
        any(chat)[property] = undefined;
        expect(any(chat)[property]).to.equal(fallback);
      });
      expect(said).to.deep.equal([]);
      for (const set of [() => chat.setAttribute(attribute, unfit), () => (any(chat)[property] = unfit)]) {
        const warnings = await listening(async () => {
          set();
          expect([any(chat)[property], any(chat)[property]]).to.deep.equal([fallback, fallback]);
          await frame();
        });
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.contain(property).and.to.contain(unfit).and.to.contain('does not fit');
      }
    });

  for (const [property, value] of Object.entries(OBJECTS))
    it(`${property}: a property, taken as it is`, async () => {
      const early = document.createElement('tool-chat');
      any(early)[property] = value;
      await place(early);
      expect([any(early)[property], early.config[property]]).to.deep.equal([value, value]);
      const late = await chatOnPage();
      expect(any(late)[property]).to.equal(undefined);
      any(late)[property] = value;
      expect([any(late)[property], late.config[property]]).to.deep.equal([value, value]);
      any(late)[property] = undefined;
      late.config = { [property]: value };
      expect(any(late)[property]).to.equal(value);
    });

  describe('may be set', () => {
    it('as attributes of the markup', async () => {
      const chat = await chatOnPage(Object.fromEntries(CHOICES.map(([attribute, , , other]) => [attribute, String(other)])));
      expect(pick(chat, names)).to.deep.equal(others);
      expect(pick(chat.config, names)).to.deep.equal(others);
    });

    it('as properties before the tag was known', async () => {
      const early = document.implementation.createHTMLDocument().createElement('tool-chat');
      Object.assign(early, others);
      expect('sendMessage' in early).to.equal(false);
      const chat = await place(early);
      expect(pick(chat, names)).to.deep.equal(others);
      expect(pick(chat.config, names)).to.deep.equal(others);
    });

    it('as properties or in `config` before the engine is there', async () => {
      const chat = Object.assign(document.createElement('tool-chat'), pick(others, names.slice(1)));
      chat.config = { accept: 'any', resultLoop: 'multi' };
      expect(pick(chat, names.slice(1))).to.deep.equal(pick(others, names.slice(1)));
      await place(chat);
      expect(pick(chat, names)).to.deep.equal(others);
      chat.config = {};
      expect([chat.accept, chat.resultLoop]).to.deep.equal(['active', 'single']);
    });

    it('in `config`, where one that does not fit is complained about once', async () => {
      const chat = await chatOnPage();
      const warnings = await listening(() => {
        chat.config = { ...others, memory: 'forever' };
        expect(pick(chat, names)).to.deep.equal({ ...others, memory: 'window' });
        expect(chat.config['memory']).to.equal('window');
      });
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.contain('memory');
    });
  });

  it('the last one of attribute and property counts, before `config`, before the default', async () => {
    const chat = await chatOnPage();
    chat.config = { onDeny: 'stop' };
    expect(chat.onDeny).to.equal('stop');
    chat.setAttribute('on-deny', 'feed-back');
    expect(chat.onDeny).to.equal('feed-back');
    chat.onDeny = 'stop';
    chat.setAttribute('on-deny', 'feed-back'); // no change of the attribute, and still the last word
    expect(chat.onDeny).to.equal('feed-back');
    chat.setAttribute('on-deny', 'stop');
    chat.onDeny = 'feed-back'; // before anybody has looked at the attribute
    expect(chat.config['onDeny']).to.equal('feed-back');
    chat.removeAttribute('on-deny');
    expect(chat.onDeny).to.equal('stop');
    chat.config = {};
    expect(pick(chat, names)).to.deep.equal(fallbacks);
  });

  describe('and what they change', () => {
    /** One turn: what the model was asked, request by request, while it answered with these replies. */
    async function turn(chat: ToolChat, model: ReturnType<typeof answerByHand>, ...replies: string[]): Promise<Request[]> {
      const from = model.requests.length;
      const over = chat.sendMessage('Go');
      for (const reply of replies) {
        const request = await model.next();
        request.send(reply);
        request.done();
      }
      await over;
      return model.requests.slice(from);
    }

    async function start(attributes: Record<string, string> = {}) {
      const chat = await chatOnPage({ 'log-level': 'off', ...attributes });
      const add = tool('add', {
        risk: 'query',
        parameters: { type: 'object', properties: { title: { type: 'string' }, count: { type: 'integer' } } },
      });
      chat.registerTool(add);
      return { chat, add, model: answerByHand(chat) };
    }

    const add = call('add', { title: 'milk' });
    const broken = '<tool_use><invoke name="add"><parameter name="title">milk</parameter> and more</invoke></tool_use>';
    const roles = (request: Request | undefined) => request?.body.messages.map(({ role }) => role);

    it('accept', async () => {
      const { chat, add: taken, model } = await start();
      const foreign = jsonAction.writeCall!('add', { title: 'milk' });
      await turn(chat, model, foreign, 'Sorry.');
      expect(taken.ran).to.deep.equal([]);
      chat.accept = 'any';
      await turn(chat, model, foreign, 'Done.');
      expect(taken.ran).to.deep.equal([{ title: 'milk' }]);
    });

    it('parse-mode', async () => {
      const { chat, add: taken, model } = await start({ 'parse-mode': 'complete' });
      const over = chat.sendMessage('Go');
      const request = await model.next();
      request.send('Adding. ');
      request.send(add);
      await until(() => chat.streamingText.includes('Adding.'), 'the text does not stream');
      expect([find(chat, part('tool-card')), chat.currentTool]).to.deep.equal([undefined, null]);
      request.done();
      (await model.next()).done();
      await over;
      expect(taken.ran).to.have.length(1);
    });

    it('on-broken-call', async () => {
      const { chat, model } = await start();
      const example = '<invoke name="add">';
      const told = (requests: Request[]) => requests.slice(1).map(({ body }) => body.messages.at(-1)?.text.includes(example));
      expect(told(await turn(chat, model, broken, 'Sorry.'))).to.deep.equal([true]);
      chat.setAttribute('on-broken-call', 'report');
      expect(told(await turn(chat, model, broken, 'Sorry.'))).to.deep.equal([false]);
      chat.onBrokenCall = 'skip';
      expect(told(await turn(chat, model, broken))).to.deep.equal([]);
    });

    it('result-role', async () => {
      const { chat, model } = await start();
      expect(roles((await turn(chat, model, add, 'Done.'))[1])?.at(-1)).to.equal('user');
      chat.resultRole = 'tool';
      expect(roles((await turn(chat, model, add, 'Done.'))[1])?.at(-1)).to.equal('tool');
    });

    it('prompt-injection, from the next turn on', async () => {
      const { chat, model } = await start({ 'system-prompt': 'Be brief.' });
      const over = chat.sendMessage('Go');
      const first = await model.next();
      chat.promptInjection = 'off';
      first.send(add);
      first.done();
      const second = await model.next();
      second.done();
      await over;
      const [third] = await turn(chat, model, 'Hi.');
      chat.setAttribute('prompt-injection', 'relay');
      const [fourth] = await turn(chat, model, 'Hi.');
      const taught = [first, second, third, fourth].map((request) => request?.body.system.includes('<invoke name='));
      expect(taught).to.deep.equal([true, true, false, false]);
      expect(fourth?.body['config']).to.deep.include({ enabledTools: ['add'], toolParadigm: 'xml-invoke' });
    });

    it('result-loop', async () => {
      const { chat, add: taken, model } = await start({ 'result-loop': 'single' });
      expect(await turn(chat, model, add)).to.have.length(1);
      expect(taken.ran).to.have.length(1);
    });

    it('on-deny', async () => {
      const { chat, add: taken, model } = await start();
      chat.addEventListener('tool-chat-tool-execute', (event) => {
        event.preventDefault();
      });
      expect(await turn(chat, model, add, 'Understood.')).to.have.length(2);
      chat.onDeny = 'stop';
      expect(await turn(chat, model, add)).to.have.length(1);
      expect(taken.ran).to.deep.equal([]);
    });

    it('coercion', async () => {
      const { chat, add: taken, model } = await start();
      chat.protocol = 'json-tool-calls'; // one that has types
      const counted = jsonToolCalls.writeCall?.('add', { count: '5' }) ?? '';
      await turn(chat, model, counted, 'Done.');
      chat.coercion = 'none';
      await turn(chat, model, counted, 'Sorry.');
      expect(taken.ran).to.deep.equal([{ count: 5 }]);
      expect(chat.toolHistory.at(-1)).to.include({ code: 'INVALID_PARAMETER' });
    });

    it('memory', async () => {
      const { chat, model } = await start();
      for (let number = 0; number < 12; number += 1) await turn(chat, model, 'Hi.');
      expect(roles(model.requests.at(-1)), 'the last 20, the question among them').to.have.length(20);
      chat.memory = 'full';
      await turn(chat, model, 'Hi.');
      expect(roles(model.requests.at(-1))).to.have.length(25);
    });

    it('beforeSend', async () => {
      const { chat, model } = await start();
      chat.beforeSend = (request) => ({ ...request, body: { system: '', messages: [{ role: 'user', text: '[masked]' }] } });
      const [request] = await turn(chat, model, 'Hi.');
      expect(request?.body.messages).to.deep.equal([{ role: 'user', text: '[masked]' }]);
      chat.beforeSend = () => null;
      expect(await chat.sendMessage('Go')).to.deep.include({ reason: 'error' });
      expect(model.requests).to.have.length(1);
      await appears(chat, part('error-bar'));
    });

    it('protocolByModel', async () => {
      const { chat, model } = await start({ protocol: 'auto', model: 'house-7b' });
      chat.protocolByModel = { 'house*': 'vcp' };
      const [request] = await turn(chat, model, 'Hi.');
      expect(request?.body.system).to.include('<<<[TOOL_REQUEST]>>>');
    });

    it('promptOptions and promptTemplates', async () => {
      const { chat, model } = await start();
      chat.promptOptions = { sections: { rules: 'House rules.', behaviour: 'Be kind.' } };
      const [first] = await turn(chat, model, 'Hi.');
      expect(first?.body.system).to.include('House rules.').and.include('Be kind.');
      chat.promptTemplates = { 'xml-invoke': { rules: 'Rules of this notation.' } };
      const [second] = await turn(chat, model, 'Hi.');
      expect(second?.body.system).to.include('Rules of this notation.').and.include('Be kind.').and.not.include('House rules.');
    });
  });
});
