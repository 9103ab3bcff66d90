/** `preset`: what it says holds, below what the page sets itself, and is what the element reads back. */
import { expect } from '@open-wc/testing';
import { vcp } from '../../src/protocols/vcp.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';
import { appears, part, until } from './helpers.js';

/** Glossary §3: what each seed decided, in the order of the names. */
const SETTINGS = 'protocol parseMode dispatch afterCall callsPerTurn execution approval resultRole coercion maxIterations tools'.split(' ');
const MORE = 'promptInjection orchestration memory planning onBrokenCall confirmVia'.split(' ');
const TABLE: Record<string, [string, string]> = {
  'cutie-xml': ['xml-invoke stream on-block continue one serial auto user-envelope pattern 5 on', 'client client full off skip buttons'],
  'json-block': [
    'json-action stream on-turn-end stop-stream one serial by-risk user-envelope none 5 on',
    'client client full off report buttons',
  ],
  'aio-vcp': ['vcp complete on-turn-end continue many serial auto tool none 5 off', 'client client full off report buttons'],
  'semi-auto': [
    'json-tool-calls complete on-turn-end continue many serial user-run user-envelope none 5 on',
    'relay client full off report buttons',
  ],
  orchestrated: [
    'xml-invoke complete on-turn-end stop-stream confirm-chain by-resource by-risk tool schema 20 on',
    'client relay-gated layered threshold repair both',
  ],
  balanced: [
    'xml-invoke stream on-turn-end continue many serial by-risk user-envelope schema 5 on',
    'client client window off repair buttons',
  ],
};

describe('preset', () => {
  it('is read back in the options that it sets, and gives way to single ones', async () => {
    const chat = await chatOnPage({ preset: 'aio-vcp' });
    expect([chat.protocol, chat.approval, chat.parseMode, chat.tools]).to.deep.equal(['vcp', 'auto', 'complete', 'off']);
    expect(chat.config).to.include({ protocol: 'vcp', approval: 'auto', preset: 'aio-vcp' });
    chat.setAttribute('protocol', 'tool-code');
    chat.config = { approval: 'always', toolCallConfig: { enabled: true } };
    expect([chat.protocol, chat.approval, chat.tools]).to.deep.equal(['tool-code', 'always', 'on']);
    chat.preset = 'balanced';
    expect([chat.parseMode, chat.maxIterations]).to.deep.equal(['stream', 5]);
    chat.preset = 'orchestrated';
    expect(chat.maxIterations).to.equal(20);
  });

  it('and single options beside `toolCallConfig` in one `config` give way to it, also where the config was read back', async () => {
    const chat = await chatOnPage({ endpoint: '/x' });
    chat.config = { ...chat.config, toolCallConfig: { enabled: false, maxIterations: 2, parallelExecution: true } };
    expect([chat.tools, chat.maxIterations, chat.execution]).to.deep.equal(['off', 2, 'parallel']);
    expect(chat.config).to.include({ tools: 'off', maxIterations: 2, execution: 'parallel' });
    const requests = answerByHand(chat);
    const ran: string[] = [];
    chat.registerTool(tool('erase', { risk: 'query', execute: () => void ran.push('erase') }));
    const turn = chat.sendMessage('go');
    const first = await requests.next();
    expect(first.body.system).not.to.include('erase');
    first.send(call('erase'));
    first.done();
    expect(await turn).to.include({ reason: 'stop' });
    expect(ran).to.deep.equal([]);

    // What is set on the element itself goes before any `config`.
    chat.tools = 'on';
    chat.execution = 'serial';
    chat.config = { ...chat.config, toolCallConfig: { enabled: false, mode: 'manual', parallelExecution: true } };
    expect([chat.tools, chat.execution, chat.approval]).to.deep.equal(['on', 'serial', 'user-run']);
    const second = chat.sendMessage('go');
    const reply = await requests.next();
    reply.send(call('erase'));
    reply.done();
    await appears(chat, part('approve-button'));
    expect(ran).to.deep.equal([]);
    chat.cancelStream();
    await second;
  });

  it('stays where an option is set to nothing', async () => {
    const chat = await chatOnPage({ endpoint: '/x' });
    chat.setAttribute('protocol', '');
    expect(chat.protocol).to.equal('xml-invoke');
    chat.preset = 'semi-auto';
    expect(chat.protocol).to.equal('json-tool-calls');
    chat.maxIterations = 0;
    expect(chat.maxIterations).to.equal(5);
  });

  for (const [preset, rows] of Object.entries(TABLE))
    it(`\`${preset}\` is its seed’s column of the table (X-18)`, async () => {
      const { config } = await chatOnPage({ preset });
      expect([SETTINGS, MORE].map((names) => names.map((name) => String(config[name])).join(' '))).to.deep.equal(rows);
    });

  it('approves in the words of its seed', async () => {
    for (const [preset, word] of [
      ['aio-vcp', '批准'],
      ['balanced', '允许'],
    ] as const) {
      const chat = await chatOnPage({ preset, lang: 'zh-CN', endpoint: '/x', approval: 'always', protocol: 'vcp', tools: 'on' });
      const requests = answerByHand(chat);
      chat.registerTool(tool('erase', { risk: 'danger' }));
      const turn = chat.sendMessage('go');
      const first = await requests.next();
      first.send(vcp.writeCall?.('erase', {}) ?? '');
      first.done();
      const button = await appears(chat, part('approve-button'));
      await until(() => button.textContent?.trim() === word, word);
      chat.cancelStream();
      await turn;
    }
  });

  it('decides how the next turn goes', async () => {
    const chat = await chatOnPage({ preset: 'cutie-xml', endpoint: '/x' });
    const requests = answerByHand(chat);
    const ran: string[] = [];
    chat.registerTool(tool('erase', { risk: 'danger', execute: () => void ran.push('erase') }));
    const turn = chat.sendMessage('go');
    const first = await requests.next();
    expect(first.body.system).to.include('Call one tool at a time');
    first.send(call('erase'));
    first.done();
    (await requests.next()).done();
    await turn;
    expect(ran).to.deep.equal(['erase']);
  });
});
