import { expect } from 'chai';
import { createMarkdownRenderer, renderMarkdown } from '../../src/markdown/markdown.js';
import { highlighted } from '../../src/markdown/highlight.js';
import { markdownStyles } from '../../src/markdown/styles.js';
import { contrastOn } from '../demo/colours.js';
import { until } from '../elements/helpers.js';

const CODE = '```js\nconst a = "b"; // c\n```\n';

/** What the panel hands down. */
const TOKENS = '--_subtle: light-dark(#f4f4f5, #1f2023); --_ok: light-dark(#17734a, #62d29b); --_bad: light-dark(#bf2c2c, #ff8f88)';

/** A place in a shadow root, as an answer has it. */
function place(style = ''): HTMLElement {
  const host = document.createElement('div');
  host.className = 'host';
  host.style.cssText = `width: 380px; color-scheme: light; ${TOKENS}; ${style}`;
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [markdownStyles.styleSheet];
  const target = document.createElement('div');
  root.append(target);
  document.body.append(host);
  return target;
}

const colour = (element: Element, kind: string) => getComputedStyle(element, `::highlight(tool-chat-${kind})`).color;

describe('highlighted code', () => {
  afterEach(async () => {
    for (const host of document.querySelectorAll('.host')) host.remove();
    await until(() => Object.values(highlighted()).every((texts) => texts.length === 0), 'ranges of what is gone are kept');
  });

  it('is coloured without an element of its own once the block is closed', async () => {
    const target = place();
    renderMarkdown(target, CODE);
    const before = target.querySelector('code')!.innerHTML;
    await until(() => highlighted()['keyword']?.includes('const') === true, 'nothing is highlighted');
    expect(highlighted()).to.deep.include({ keyword: ['const'], string: ['"b"'], comment: ['// c'] });
    expect(target.querySelector('code')!.innerHTML).to.equal(before);
  });

  it('stays plain while the block is open', async () => {
    const target = place();
    const renderer = createMarkdownRenderer(target);
    renderMarkdown(place(), '```js\nnull\n```');
    await until(() => highlighted()['number']?.length === 1, 'the part does not come');
    renderer.push(CODE.slice(0, -5));
    renderer.flush();
    await new Promise(requestAnimationFrame);
    expect(highlighted()['keyword']).to.deep.equal([]);
    renderer.push('\n```\n');
    renderer.end();
    await until(() => highlighted()['keyword']?.length === 1, 'nothing is highlighted');
  });

  it('keeps ranges only of what is in view', async () => {
    const target = place('height: 100px; overflow: auto');
    renderMarkdown(target, `\`\`\`py\n${'pass\n'.repeat(640)}\`\`\`\n`);
    await until(() => (highlighted()['keyword']?.length ?? 0) > 0, 'nothing is highlighted');
    expect(highlighted()['keyword']!.length).to.be.below(640).and.to.equal(64);
  });

  it('has the colours of its theme, at least 4.5 : 1, and those that a page sets', async () => {
    const [light, dark, own] = [place(), place('color-scheme: dark'), place('--tool-chat-code-keyword: rgb(1, 2, 3)')];
    for (const target of [light, dark, own]) renderMarkdown(target, CODE);
    await until(() => highlighted()['keyword']?.length === 3, 'nothing is highlighted');
    const lines = [light, dark, own].map((target) => target.querySelector('.code-lines')!);
    for (const line of lines.slice(0, 2))
      for (const kind of Object.keys(highlighted())) expect(contrastOn(line, colour(line, kind)), kind).to.be.at.least(4.5);
    if (!CSS.supports('selector(::highlight(a))')) return;
    expect(lines.map((line) => colour(line, 'keyword'))).to.deep.equal(['rgb(139, 42, 158)', 'rgb(217, 165, 245)', 'rgb(1, 2, 3)']);
  });

  it('can be wrapped where its lines are longer than the block is wide', async () => {
    const target = place();
    renderMarkdown(target, `\`\`\`\n${'word '.repeat(100)}\n\`\`\`\n\n\`\`\`\nshort\n\`\`\`\n`);
    const frame = target.querySelector('pre')!;
    const buttons = () => [...target.querySelectorAll<HTMLButtonElement>('.code-wrap')];
    await until(() => buttons()[0]?.hidden === false, 'there is no button');
    expect(buttons().map(({ hidden }) => hidden)).to.deep.equal([false, true]);
    expect(buttons()[0]!.ariaPressed).to.equal('false');
    buttons()[0]!.click();
    expect([frame.scrollWidth <= frame.clientWidth, buttons()[0]!.ariaPressed]).to.deep.equal([true, 'true']);
    buttons()[0]!.click();
    expect(frame.scrollWidth).to.be.above(frame.clientWidth);
  });
});
