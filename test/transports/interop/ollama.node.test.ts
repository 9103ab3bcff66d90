/** Ollama's own client against what the scripted model sends; against Ollama itself there is nothing but its documentation. */
import { expect } from 'chai';
import { Ollama } from 'ollama';
import { scriptedEndpoint } from '../../../src/scripted-model/index.js';

describe('the client of Ollama', () => {
  it('reads what the scripted model sends', async () => {
    const endpoint = scriptedEndpoint('ollama');
    const client = new Ollama({ host: 'http://scripted.test', fetch: (url, init) => endpoint(new Request(url as string, init)) });
    const messages = [{ role: 'user', content: 'Hello' }];
    let text = '';
    let reason = '';
    for await (const { message, done, done_reason } of await client.chat({ model: 'scripted', messages, stream: true })) {
      text += message.content;
      if (done) reason = done_reason;
    }
    expect(text).not.to.equal('');
    expect(reason).to.equal('stop');
    expect((await client.chat({ model: 'scripted', messages })).message.content).to.equal(text);
  });
});
