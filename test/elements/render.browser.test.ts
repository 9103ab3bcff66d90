/** A tool's own view of its result. */
import { expect } from '@open-wc/testing';
import type { Call } from '../../src/model/calls.js';
import { appears, find, until } from './helpers.js';
import { answerByHand, call, chatOnPage, tool } from './tool-chat-stage.js';

async function run(render: (call: Call) => unknown, codes: string[] = []) {
  const chat = await chatOnPage({});
  chat.addEventListener('tool-chat-log', ({ entry }) => codes.push(entry.code));
  const requests = answerByHand(chat);
  chat.registerTool(tool('chart', { risk: 'query', render, execute: () => ({ success: true, message: 'Drawn', data: [3, 1, 2] }) }));
  const turn = chat.sendMessage('Draw');
  const first = await requests.next();
  first.send(call('chart', { title: 'x' }));
  first.done();
  const second = await requests.next();
  second.send('Here it is.');
  second.done();
  await turn;
  return chat;
}

describe('a tool that draws its result', () => {
  it('is handed the call as it came out, frozen, and its node stands on the card, made once', async () => {
    const given: Call[] = [];
    const chat = await run((drawn) => {
      given.push(drawn);
      return Object.assign(document.createElement('b'), {
        id: 'own',
        textContent: `${String(drawn.result?.data)} for ${String((drawn.args as { title: string }).title)}`,
      });
    });
    const own = await appears(chat, '#own');
    expect(own.textContent).to.equal('3,1,2 for x');
    expect(given).to.have.lengthOf(1);
    expect(given[0]).to.include({ toolName: 'chart', status: 'success' });
    expect(() => ((given[0] as { status: string }).status = 'error')).to.throw(TypeError);
  });

  it('has the common view where it fails or draws nothing, and says so once in the log', async () => {
    const codes: string[] = [];
    const failing = await run(() => {
      throw new Error('no canvas');
    }, codes);
    await until(() => find(failing, '[data-tool=chart][data-status=success]') !== undefined, 'no card');
    expect(find(failing, '.own')).to.equal(undefined);
    await until(() => codes.includes('render.failed'), 'it is not logged');
    expect(codes.filter((code) => code === 'render.failed')).to.have.lengthOf(1);
    const chat = await run(() => '<b>text</b>');
    await until(() => find(chat, '[data-tool=chart][data-status=success]') !== undefined, 'no card');
    expect(find(chat, '.own')).to.equal(undefined);
  });
});
