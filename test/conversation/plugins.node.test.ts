/** Plugins: everything that one registers goes with it. */
import { expect } from 'chai';
import { createConversation } from '../../src/conversation/conversation.js';
import type { Conversation, Plugin } from '../../src/conversation/host/api.js';
import { jsonAction } from '../../src/protocols/json-action.js';
import { until, useFaultServer } from './talk.js';

const tool = (name: string) => ({ name, description: `Does ${name}.`, risk: 'query' as const, execute: () => 'done' });
const throws = () => expect.fail('no');
const request = () => ({ url: new URL('http://x.test'), headers: {}, body: {} });
const wire = { id: 'mine', request, createReader: () => ({ push() {}, end() {} }) };

describe('a plugin', () => {
  useFaultServer({ settles: true });
  const errors: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => errors.push(message) };
  let chat: Conversation;
  beforeEach(() => {
    errors.length = 0;
    chat = createConversation({ systemPrompt: '{{tools}} {{motto}}', logger });
  });
  afterEach(() => chat.dispose());

  it('takes back everything that was registered through it', async () => {
    const told: string[] = [];
    let ended = 0;
    const registerTools = (through: Conversation) => {
      through.registerTool(tool('outer'));
      through.registerMacro('motto', () => 'Slowly.');
      through.use({ name: 'nested', setup: (inner) => void inner.registerTool(tool('inner')) });
    };
    const off = chat.use({
      name: 'all',
      setup(through) {
        registerTools(through);
        through.registerProtocol({ ...jsonAction, id: 'mine' });
        through.registerWire(wire);
        through.subscribe(({ state }) => told.push(state));
        return () => (ended += 1);
      },
    });
    const prompt = await chat.generatePrompt();
    for (const word of ['outer', 'inner', 'Slowly.']) expect(prompt).to.include(word);
    expect(await chat.generatePrompt({ protocol: 'mine' })).to.match(/json/);
    off();
    off();
    expect(ended).to.equal(1);
    expect(await chat.generatePrompt()).not.to.match(/outer|inner|Slowly/);
    // Every name is free again.
    chat.use({ name: 'all', setup: registerTools });
    const before = told.length;
    await chat.sendMessage('hello');
    expect(told).to.have.length(before);
  });

  it('leaves nothing behind when `setup` throws', async () => {
    const setup = (through: Conversation) => {
      through.registerTool(tool('half'));
      throw new RangeError('No further.');
    };
    expect(() => chat.use({ name: 'bad', setup })).to.throw(RangeError, 'No further.');
    expect(await chat.getToolDescriptions()).not.to.include('half');
    chat.registerTool(tool('half'));
    expect(() => chat.use({ name: 'bad', setup: () => undefined })).not.to.throw();
  });

  it('is set up by `plugins`, in order; one that fails does not stop the next', async () => {
    const order: string[] = [];
    const one = (name: string): Plugin => ({ name, setup: () => (order.push(name), () => order.push(`-${name}`)) });
    const plugins = [one('a'), { name: 'fails', setup: throws }, one('b'), {} as Plugin];
    createConversation({ plugins, logger }).dispose();
    expect(order).to.deep.equal(['a', 'b', '-b', '-a']);
    const complaints = () => errors.filter((message) => message.includes('could not be set up'));
    await until(() => complaints().length === 2, 'both errors');
  });

  it('takes the rest back when its own end throws', async () => {
    chat.use({ name: 'throws late', setup: (through) => (through.registerTool(tool('kept')), throws) })();
    expect(await chat.getToolDescriptions()).not.to.include('kept');
  });
});
