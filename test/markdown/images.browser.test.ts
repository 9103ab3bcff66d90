import { expect } from 'chai';
import * as syntax from '../../src/markdown/lazy-syntax.js';
import { addSyntax, renderMarkdown } from '../../src/markdown/markdown.js';
import { until } from '../elements/helpers.js';

addSyntax(syntax);
const { origin } = location;
// A picture that is there: the address passes as a safe one, as the server of the tests has it.
const PICTURE = `${origin}/demo/icon.svg`;

function place(text: string, origins?: string): HTMLElement {
  const host = document.createElement('div');
  host.className = 'host';
  if (origins !== undefined) host.setAttribute('image-origins', origins);
  const target = document.createElement('div');
  host.attachShadow({ mode: 'open' }).append(target);
  document.body.append(host);
  renderMarkdown(target, text);
  return target;
}

const button = (target: HTMLElement) => target.querySelector<HTMLButtonElement>('.image-button');

describe('images in an answer', () => {
  afterEach(() => {
    for (const host of document.querySelectorAll('.host')) host.remove();
  });

  it('are loaded by a press alone, where the page allows their origin', async () => {
    const target = place(`![A *plan*](${PICTURE})`, `https://a.example ${origin}`);
    await until(() => button(target) !== null, 'there is no button');
    expect(target.querySelector('img')).to.equal(null);
    expect(button(target)!.textContent).to.equal(`\u2068A plan\u2069 · Load image from ${location.host}`);
    button(target)!.focus();
    button(target)!.click();
    const image = target.querySelector('img')!;
    expect([image.src, image.alt, image.referrerPolicy]).to.deep.equal([PICTURE, 'A plan', 'no-referrer']);
    expect((target.getRootNode() as ShadowRoot).activeElement).to.equal(image);
  });

  for (const [text, origins] of [
    [`![a](${PICTURE})`, undefined],
    [`![a](${PICTURE})`, ''],
    [`![a](${PICTURE})`, 'https://a.example *'],
    ['![a](https://a.example.evil.example/x.png)', 'https://a.example'],
    ['![a](https://user@a.example/x.png)', 'https://a.example'],
    ['![a](data:image/png;base64,AAAA)', 'data: null'],
    [`[![a](${PICTURE})](https://b.example/)`, origin],
  ] as const)
    it(`stay a description elsewhere: ${text} where ${origins ?? 'nothing'} is allowed`, async () => {
      const target = place(text, origins);
      const after = place(`![z](${PICTURE})`, origin);
      await until(() => button(after) !== null, 'there is no button');
      expect(target.querySelector('button, img')).to.equal(null);
      expect(target.textContent).to.include('a');
    });

  it('say that they could not be loaded', async () => {
    const target = place(`![a](${origin}/nothing-here.png)`, origin);
    await until(() => button(target) !== null, 'there is no button');
    button(target)!.click();
    await until(() => target.textContent.includes('The image could not be loaded'), 'nothing is said');
  });
});
