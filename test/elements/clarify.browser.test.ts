/** The guess and the questions: what a click sends, and for how long (S4-43, S4-44). */
import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys } from '@web/test-runner-commands';
import type { MessageView } from '../../src/model/snapshot.js';
import { loadMarkdown } from '../../src/elements/tool-chat-message/load-markdown.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import type { Clarify } from '../../src/model/plan.js';
import { assistant, FakeSurface, user } from './fake-surface.js';
import { appears, atRest, click, deepText, find, findAll, part, stage, until } from './helpers.js';

const one: Clarify = { default: 'A page about cats', questions: [{ text: 'How long?', options: ['Short', 'Long'] }] };
const two: Clarify = { ...one, questions: [{ text: 'For whom?', options: ['Teachers', 'Parents'] }, ...one.questions] };

const answer = (clarify: Clarify, id = 'a1'): MessageView => {
  const view = assistant(id, ['Gladly.']);
  return { ...view, parts: [...view.parts, { type: 'clarify', clarify }] };
};
const asking = (clarify: Clarify) => new FakeSurface({ views: [user('u1', '帮我做个研究'), answer(clarify)] });

const open = async (surface: FakeSurface, options = {}) => {
  const { panel } = await stage(surface, options);
  await appears(panel, part('clarify'));
  await appears(panel, part('default-button'));
  await atRest(panel);
  return panel;
};
const button = (panel: Element, text: string) => findAll(panel, 'button').find((each) => deepText(each).trim() === text) as HTMLElement;

describe('<tool-chat-clarify>', () => {
  // It comes with the first answer, and what it draws is of another height than the plain text before.
  before(loadMarkdown);
  afterEach(() => resetMouse());

  it('shows the guess and the questions, and sends the guess on a click', async () => {
    const surface = asking(two);
    const panel = await open(surface);
    const said = deepText(find(panel, part('clarify')) as Node);
    for (const text of ['A page about cats', 'For whom?', 'How long?', 'Teachers', 'Long']) expect(said).to.include(text);
    await click(find(panel, part('default-button')) as Element);
    expect(surface.asked).to.deep.equal(['send Go with the default: A page about cats']);
  });

  it('sends the answer to a single question at once, with the question', async () => {
    const surface = asking(one);
    const panel = await open(surface);
    await click(button(panel, 'Long'));
    expect(surface.asked).to.deep.equal(['send How long? Long']);
  });

  it('sends the answers to two questions as one message', async () => {
    const surface = asking(two);
    const panel = await open(surface);
    await click(button(panel, 'Parents'));
    await click(button(panel, 'Short'));
    await until(() => button(panel, 'Short').getAttribute('aria-pressed') === 'true', 'it is not chosen');
    expect(surface.asked).to.deep.equal([]);
    await click(button(panel, 'Send answers'));
    expect(surface.asked).to.deep.equal(['send For whom? Parents\nHow long? Short']);
  });

  it('leaves to the guess what is not answered', async () => {
    const surface = asking(two);
    const panel = await open(surface);
    const send = button(panel, 'Send answers');
    await click(send);
    expect([surface.asked.length, send.getAttribute('aria-disabled')]).to.deep.equal([0, 'true']);
    await click(button(panel, 'Teachers'));
    await click(send);
    expect(surface.asked).to.deep.equal(['send For whom? Teachers\nFor the rest, go with the default: A page about cats']);
  });

  it('lets a choice be changed and taken back', async () => {
    const panel = await open(asking(two));
    const pressed = () => findAll(panel, '[aria-pressed=true]').map((each) => deepText(each).trim());
    await click(button(panel, 'Teachers'));
    await click(button(panel, 'Parents'));
    await until(() => pressed().join() === 'Parents', 'two are chosen');
    await click(button(panel, 'Parents'));
    await until(() => pressed().length === 0, 'it stays chosen');
  });

  it('sends once, however often it is clicked', async () => {
    const surface = asking(one);
    const panel = await open(surface);
    const use = find(panel, part('default-button')) as HTMLElement;
    use.click();
    use.click();
    expect(surface.asked).to.have.length(1);
  });

  it('works with the keyboard', async () => {
    const surface = asking(one);
    const panel = await open(surface);
    button(panel, 'Short').focus();
    await sendKeys({ press: 'Enter' });
    await until(() => surface.asked.length === 1, 'nothing is sent');
    expect(surface.asked).to.deep.equal(['send How long? Short']);
  });

  it('is over when something follows, and while the answer is not whole', async () => {
    const surface = asking(two);
    const panel = await open(surface);
    surface.set({ views: [...surface.view.views, user('u2', 'Parents, please')] });
    await until(() => findAll(panel, `${part('clarify')} button`).length === 0, 'the buttons stay');
    expect(deepText(find(panel, part('clarify')) as Node)).to.include('Parents');
    const busy = await stage(new FakeSurface({ isLoading: true, views: [user('u1', 'x'), answer(one)] }));
    await appears(busy.panel, part('clarify'));
    expect(find(busy.panel, part('default-button'))).to.equal(undefined);
  });

  it('is announced when it has just come', async () => {
    const surface = new FakeSurface({ isLoading: true, views: [user('u1', 'x'), answer(one)] });
    const { panel } = await stage(surface);
    await appears(panel, part('clarify'));
    surface.set({ isLoading: false });
    const said = () => deepText(find(panel, '.said') as Node);
    await until(() => said().includes('The assistant would like to know: How long? By default: A page about cats'), 'it is not announced');
  });

  it('speaks Chinese, and never says a bare 请补充', async () => {
    const surface = asking({ default: '一份关于人工智能的研究', questions: [{ text: '给谁看？', options: ['老师', '家长'] }] });
    const panel = await open(surface, { texts: zhCN, lang: 'zh-CN' });
    const said = deepText(panel.shadowRoot as Node);
    expect(said).to.include('先确认一下').and.to.include('按默认来').and.to.not.include('请补充');
    await click(button(panel, '老师'));
    expect(surface.asked).to.deep.equal(['send 给谁看？老师']);
  });

  it('shows what a model writes as text', async () => {
    const panel = await open(asking({ default: '<b>x</b>\u202E', questions: [{ text: '<img src=x>', options: ['<i>y</i>'] }] }));
    const card = find(panel, part('clarify')) as Element;
    expect(findAll(card, 'img, b, i')).to.have.length(0);
    expect(deepText(card)).to.include('<b>x</b>').and.to.not.include('\u202E');
  });

  it('is accessible in both themes, open and over, and when it is narrow', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const surface = asking(two);
      const { panel } = await stage(surface, { width: 320 });
      panel.theme = theme;
      await appears(panel, part('default-button'));
      await click(button(panel, 'Teachers'));
      await resetMouse();
      await atRest(panel);
      await expect(panel).to.be.accessible();
      surface.set({ views: [...surface.view.views, user('u2', 'x')] });
      await until(() => !find(panel, part('default-button')), 'it stays open');
      await expect(panel).to.be.accessible();
    }
  });
});
