/** Mistakes of a page that its console names. */
import { expect } from '@open-wc/testing';
import { warnOfPage } from '../../src/elements/page-warnings.js';
import { chatOnPage } from './tool-chat-stage.js';

/** What the console is warned of meanwhile. */
async function warnings(act: () => unknown): Promise<string[]> {
  const said: string[] = [];
  const { warn } = console;
  console.warn = (...what: unknown[]) => void said.push(what.join(' '));
  try {
    await act();
  } finally {
    console.warn = warn;
  }
  return said;
}

describe('a page that puts a key into an attribute', () => {
  it('is warned once, without the key', async () => {
    const said = await warnings(() => chatOnPage({ 'api-key': 'sk-verysecret', endpoint: '/api/ai/chat/stream' }));
    expect(said.filter((line) => line.includes('api-key'))).to.have.length(1);
    expect(said.join()).to.not.contain('sk-verysecret');
  });

  it('is not warned of options that only sound like one', async () => {
    expect(await warnings(() => warnOfPage(document.createElement('tool-chat'), 'http://example.org/chat'))).to.deep.equal([]);
    const chat = document.createElement('tool-chat');
    for (const name of ['token-budget', 'max-tokens']) chat.setAttribute(name, '100');
    expect(await warnings(() => warnOfPage(chat, ''))).to.deep.equal([]);
  });
});
