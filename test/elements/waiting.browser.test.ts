/** What a person sees who has asked and whom nobody has answered yet. */
import { expect } from '@open-wc/testing';
import { appears, find, frame, part, until } from './helpers.js';
import { answerByHand, chatOnPage, untilTalking } from './tool-chat-stage.js';

describe('a slow answer', () => {
  it('is waited for in the frame after sending, and a faster model can be chosen (S0-179)', async () => {
    const chat = await chatOnPage({ models: 'slow-large swift-small' });
    const model = answerByHand(chat);
    const turn = chat.sendMessage('Hi');
    await frame();
    await frame();
    const dots = find(chat, '.dots') as Element;
    expect(dots === undefined).to.equal(false);
    expect([dots.checkVisibility(), getComputedStyle(dots.firstElementChild as Element).animationName]).to.deep.equal([true, 'pulse']);
    const request = await model.next();
    // It is loaded at a quiet moment.
    await appears(chat, part('model-menu'));
    request.send('Hello');
    request.done();
    await turn;
    await until(() => !find(chat, '.dots')?.checkVisibility(), 'it is still waited for');
  });
});

describe('a panel whose parts are all there', () => {
  it('waits for a frame before its conversation is put together', async () => {
    await chatOnPage();
    const log: string[] = [];
    const real = globalThis.requestAnimationFrame;
    const chat = document.createElement('tool-chat');
    chat.use({ name: 'watch', setup: () => void log.push('talks') });
    globalThis.requestAnimationFrame = (callback) => {
      log.push('frame');
      return real(callback);
    };
    try {
      document.querySelector('main')?.append(chat);
      await untilTalking(chat);
    } finally {
      globalThis.requestAnimationFrame = real;
    }
    expect([log[0], log.includes('talks')]).to.deep.equal(['frame', true]);
  });
});
