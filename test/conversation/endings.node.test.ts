/** The end of an answer: tokens of a model's template, and what the host hears of the text. */
import { expect } from 'chai';
import { createStopTokens } from '../../src/protocols/stop-tokens.js';
import { isPartOfText } from '../../src/protocols/is-in-code.js';
import { adding } from './adding.js';
import { scriptedFetch } from './scripted-fetch.js';
import endings from '../fixtures/conversation/endings.json' with { type: 'json' };

/** A conversation that heard the pieces of one reply. */
async function hear(pieces: readonly string[], options: object = {}) {
  const body = [...pieces.map((content) => ({ type: 'text', content })), { type: 'done' }];
  const frames = body.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
  const answer = () => new Response(frames, { headers: { 'content-type': 'text/event-stream' } });
  const { fetch } = scriptedFetch([answer]);
  const heard: string[] = [];
  const { chat } = adding({
    ...{ fetch, ...options },
    onEvent(event) {
      if (event.type === 'stream-chunk') heard.push(event.text);
      return true;
    },
  });
  await chat.sendMessage('hello');
  const reply = chat.messages.at(-1);
  return { heard: heard.join(''), text: reply?.text, raw: reply?.raw };
}

const cuts = (text: string): string[][] => [[text], [...text], text.match(/[^]{1,3}/g)!, [text.slice(0, -2), text.slice(-2)]];

describe('stop tokens', () => {
  it('are not shown, kept, sent back or told to the host at the end of an answer, however it is cut', async () => {
    for (const token of endings.tokens)
      for (const pieces of cuts(`It is 21 °C.${token}`)) {
        const { text, raw, heard } = await hear(pieces);
        expect([text, raw, heard], token).to.deep.equal(['It is 21 °C.', 'It is 21 °C.', 'It is 21 °C.']);
      }
  });

  it('stay in code, in quotations and among words, and so does what only begins like one', async () => {
    for (const content of endings.texts)
      for (const pieces of cuts(content)) {
        const { text, heard } = await hear(pieces, { tools: 'off' });
        expect([text, heard]).to.deep.equal([content, content]);
      }
  });

  it('cost linear time', () => {
    const stops = createStopTokens();
    let length = 0;
    for (const piece of ['<|im_end|> '.repeat(100_000), '<'.repeat(100_000)]) for (const char of piece) length += stops.push(char).length;
    length += stops.end(() => true).length;
    expect(length).to.equal(1_200_000);
    expect(isPartOfText(`${'`'.repeat(100_000)} <`.repeat(2), '<|im_end|>')).to.be.a('boolean');
  });
});

describe('what the host hears of the text', () => {
  it('is all of the text, as it comes: of code, lists, links and names only what may still be a call waits', async () => {
    const text = 'Use [a](b) or {c}.\n\n- `d` < 3\n\n```js\nlet a = 1;\n```\n\nThen add it.\n' + 'And so on. '.repeat(40);
    for (const pieces of cuts(text)) expect((await hear(pieces)).heard).to.equal(text);
  });
});
