import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import type { Conversation } from '../../src/conversation/host/api.js';
import type { Plugin } from '../../src/conversation/host/api.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { call, talk, tick, useFaultServer } from './talk.js';

const tool = (name: string) => ({ name, description: `Does ${name}.`, risk: 'query' as const, execute: () => 'done' });
const wire = {
  id: 'mine',
  request: () => ({ url: new URL('http://x.test'), headers: {}, body: {} }),
  createReader: () => ({ push() {}, end() {} }),
};

describe('plugins (contract §2, use)', () => {
  useFaultServer();

  it('takes back everything that was registered through it', async () => {
    const chat = createConversation({ systemPrompt: '{{tools}} {{motto}}' });
    const told: string[] = [];
    let ended = 0;
    const nested: Plugin = { name: 'nested', setup: (inner) => void inner.registerTool(tool('inner')) };
    const off = chat.use({
      name: 'all',
      setup(through) {
        through.registerTool(tool('outer'));
        through.registerMacro('motto', () => 'Slowly.');
        through.registerProtocol({ ...jsonAction, id: 'mine' });
        through.registerWire(wire);
        through.subscribe(({ state }) => told.push(state));
        through.use(nested);
        return () => (ended += 1);
      },
    });
    expect(await chat.generatePrompt())
      .to.match(/outer/)
      .and.match(/inner/)
      .and.match(/Slowly\./);
    expect(await chat.generatePrompt({ protocol: 'mine' })).to.match(/json/);
    off();
    off();
    expect(ended).to.equal(1);
    const prompt = await chat.generatePrompt();
    expect(prompt).not.to.match(/outer|inner|Slowly/);
    // Everything is free again: nothing of it was left.
    chat.use({
      name: 'all',
      setup(through) {
        through.registerTool(tool('outer'));
        through.registerMacro('motto', () => '');
        through.use(nested);
      },
    });
    const before = told.length;
    await chat.sendMessage('hello');
    expect(told).to.have.length(before);
    chat.dispose();
  });

  it('leaves nothing behind when `setup` throws', async () => {
    const chat = createConversation();
    const bad: Plugin = {
      name: 'bad',
      setup(through) {
        through.registerTool(tool('half'));
        throw new RangeError('No further.');
      },
    };
    expect(() => chat.use(bad)).to.throw(RangeError, 'No further.');
    expect(await chat.getToolDescriptions()).not.to.include('half');
    chat.registerTool(tool('half'));
    expect(() => chat.use({ ...bad, setup: () => undefined })).not.to.throw();
    chat.dispose();
  });

  it('runs tools of a plugin like any other, and not after it is gone', async () => {
    const t = talk([call('from_plugin'), 'Done.', call('from_plugin'), 'Sorry.']);
    let runs = 0;
    const off = t.chat.use({
      name: 'tools',
      setup: (chat) => void chat.registerTool({ ...tool('from_plugin'), execute: () => (runs += 1) }),
    });
    expect((await t.send()).results[0]?.status).to.equal('success');
    off();
    expect((await t.send()).results[0]?.code).to.equal('TOOL_NOT_FOUND');
    expect(runs).to.equal(1);
  });

  it('lets a plugin take single things back, and refuses what it registers afterwards', () => {
    const chat = createConversation();
    let through: Conversation | undefined;
    const off = chat.use({
      name: 'changing',
      setup(given) {
        through = given;
        const takeBack = given.registerTool(tool('first'));
        takeBack();
        given.registerTool(tool('first'));
      },
    });
    expect(() => chat.registerTool(tool('first'))).to.throw(/taken/);
    off();
    chat.registerTool(tool('first'));
    expect(() => through?.registerTool(tool('late'))).to.throw(/taken back/);
    chat.dispose();
  });

  it('gives the same state and methods as the conversation', async () => {
    const t = talk(['Hi.']);
    let through: Conversation | undefined;
    t.chat.use({ name: 'looks', setup: (given) => void (through = given) });
    await through?.sendMessage('hello');
    expect(through?.messages).to.deep.equal(t.chat.messages);
    expect(through?.session).to.deep.equal(t.chat.session);
    expect(through?.registerTool).to.equal(through?.registerTool);
  });

  it('sets up what `plugins` names, in order, and goes on after one that fails', async () => {
    const order: string[] = [];
    const one = (name: string): Plugin => ({ name, setup: () => (order.push(name), () => order.push(`-${name}`)) });
    const errors: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => errors.push(message) };
    const failing: Plugin = {
      name: 'fails',
      setup() {
        throw new Error('no');
      },
    };
    const chat = createConversation({ plugins: [one('a'), failing, one('b'), {} as Plugin], logger });
    expect(order).to.deep.equal(['a', 'b']);
    chat.dispose();
    expect(order).to.deep.equal(['a', 'b', '-b', '-a']);
    await tick();
    await tick();
    expect(errors.filter((message) => message.includes('could not be set up'))).to.have.length(2);
  });

  it('refuses what is no plugin, and a name that is in use', () => {
    const chat = createConversation();
    for (const wrong of [undefined, null, {}, { name: 'x' }, { name: '', setup() {} }, () => {}])
      expect(() => chat.use(wrong as Plugin)).to.throw(TypeError, /setup\(chat\)/);
    const off = chat.use({ name: 'once', setup() {} });
    expect(() => chat.use({ name: 'once', setup() {} })).to.throw(/in use/);
    off();
    chat.use({ name: 'once', setup() {} });
    chat.dispose();
  });

  it('takes the rest back when the end of a plugin throws', async () => {
    const chat = createConversation({ logger: { debug() {}, info() {}, warn() {}, error() {} } });
    const off = chat.use({
      name: 'throws late',
      setup(through) {
        through.registerTool(tool('kept'));
        return () => {
          throw new Error('late');
        };
      },
    });
    off();
    expect(await chat.getToolDescriptions()).not.to.include('kept');
    chat.dispose();
  });
});
