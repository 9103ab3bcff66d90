/** What a wire says of pictures it does, neither more nor less: the person is told by it. */
import { expect } from 'chai';
import { builtInWires } from '../../src/transports/built-in-wires.js';
import { leftBehind } from '../../src/transports/wire-messages.js';
import { turn } from './turns.js';

const attachments = [
  { type: 'image/png', name: 'small.png', url: 'data:image/png;base64,iVBORw0KGgo=' },
  { type: 'image/png', name: 'on-the-web.png', url: 'https://x.example/on-the-web.png' },
  { type: 'image/png', name: 'in-the-clear.png', url: 'http://x.example/in-the-clear.png' },
  { type: 'image/tiff', name: 'scan.tiff', url: 'data:image/tiff;base64,SUkqAA==' },
  { type: 'image/png', name: 'of-the-page.png', url: 'blob:https://x.example/1' },
  { type: 'image/svg+xml', name: 'no-base64.svg', url: 'data:image/svg+xml,<svg/>' },
  { type: 'application/pdf', name: 'paper.pdf', url: 'data:application/pdf;base64,JVBERg==' },
];

const carried: Record<string, string[]> = {
  cutie: [],
  text: [],
  'prompt-api': [],
  wllama: [],
  openai: ['small.png', 'on-the-web.png', 'in-the-clear.png', 'scan.tiff'],
  'openai-responses': ['small.png', 'on-the-web.png', 'in-the-clear.png', 'scan.tiff'],
  'ui-message-stream': ['small.png', 'on-the-web.png', 'in-the-clear.png', 'scan.tiff'],
  'ag-ui': ['small.png', 'on-the-web.png', 'in-the-clear.png', 'scan.tiff'],
  anthropic: ['small.png', 'on-the-web.png'],
  ollama: ['small.png', 'scan.tiff'],
  gemini: ['small.png', 'scan.tiff'],
};

describe('pictures on the wires (S0-189)', () => {
  it('are spoken of by every wire that comes with the package', () => {
    expect(builtInWires.map(({ id }) => id)).to.have.members(Object.keys(carried));
  });

  for (const { id, load } of builtInWires) {
    it(`are carried by ${id} as it says, and all others are named`, async () => {
      const wire = await load();
      expect(wire.images, 'what it says').to.not.equal(undefined);
      const left = leftBehind(attachments, wire.images).map(({ name }) => name);
      expect(attachments.map(({ name }) => name).filter((name) => !left.includes(name))).to.deep.equal(carried[id]);
      const address = new URL('https://x.example/v1/models/m:generateContent');
      for (const one of attachments) {
        const { body } = wire.request({ ...turn, messages: [{ role: 'user', text: 'See', attachments: [one] }] }, address);
        const sent = JSON.stringify(body);
        const data = one.url.split(',')[1] ?? one.url;
        const isNamed = sent.includes(`[${one.name}, ${one.type}]`);
        expect(isNamed, `${one.name} is named`).to.equal(left.includes(one.name));
        expect(sent.includes(data), `${one.name} is carried`).to.equal(!left.includes(one.name));
      }
    });
  }

  it('are not spoken of where nobody knows what a wire carries', () => {
    expect(leftBehind(attachments, undefined)).to.deep.equal([]);
  });
});
