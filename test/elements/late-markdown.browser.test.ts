import { expect } from '@open-wc/testing';
import { loadMarkdown } from '../../src/elements/tool-chat-message/load-markdown.js';
import { MessageBody } from '../../src/elements/tool-chat-message/message-body.js';

describe('an answer that began before Markdown was there', () => {
  it('shows each piece once, also the one with the first mark when Markdown has come meanwhile', async () => {
    const target = document.createElement('div');
    target.attachShadow({ mode: 'open' });
    document.body.append(target);
    const body = new MessageBody(target, {
      createCall: () => document.createElement('i'),
      createBlock: () => document.createElement('i'),
      texts: () => undefined,
      root: target.shadowRoot!,
    });
    body.text('I will u');
    await loadMarkdown();
    body.text('se `');
    body.text('list`.');
    body.end();
    await body.settled();
    expect(target.textContent).to.equal('I will use list.');
    target.remove();
  });
});
