/** `preset`: what it says holds, below what the page sets itself, and is what the element reads back. */
import { expect } from '@open-wc/testing';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

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
