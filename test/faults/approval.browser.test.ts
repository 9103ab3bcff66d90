/** Results that only a page can give. */
import { expect } from '@open-wc/testing';
import { answerByHand, call, chatOnPage, tool } from '../elements/tool-chat-stage.js';

describe('results of a page', () => {
  const pageValues: Record<string, () => unknown> = {
    'the window': () => window,
    'the document': () => document,
    'an element that holds itself': () => Object.assign(document.createElement('div'), { self: document.body }),
    'a file': () => new File(['sk-SECRET-123'], 'a.txt'),
    'a list of nodes': () => document.querySelectorAll('*'),
    'an event': () => new MouseEvent('click'),
    'the storage': () => localStorage,
  };
  for (const [name, make] of Object.entries(pageValues))
    it(`a tool returns ${name}: one bounded result, and nothing of the page in it`, async () => {
      localStorage.setItem('token', 'sk-SECRET-123');
      document.cookie = 'token=sk-SECRET-123';
      try {
        const chat = await chatOnPage({ 'log-level': 'off' });
        const model = answerByHand(chat);
        chat.registerTool(tool('odd', { risk: 'query', execute: make }));
        const turn = chat.sendMessage('Do it');
        const first = await model.next();
        first.send(call('odd'));
        first.done();
        const second = await model.next();
        second.send('I am well.');
        second.done();
        const { results, text } = await turn;
        expect(text).to.equal('I am well.');
        expect(results).to.have.length(1);
        const told = JSON.stringify(second.body);
        expect(told.length).to.be.below(60_000);
        if (name !== 'the storage') expect(told).to.not.include('SECRET');
      } finally {
        localStorage.removeItem('token');
        document.cookie = 'token=; max-age=0';
      }
    });
});
