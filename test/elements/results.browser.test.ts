/** What calls gave back, and calls that needed nobody. */
import { expect } from '@open-wc/testing';
import type { CardStatus, CardView, Risk } from '../../src/model/calls.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface } from './fake-surface.js';
import { appears, deepText, find, findAll, frame, part, stage, until } from './helpers.js';

const done = (id: string, data?: unknown, risk: Risk = 'query', status: CardStatus = 'success'): CardView => ({
  ...card(id, status, { call: call(id, { risk, decidedBy: 'policy', sentence: `Look at ${id}`, status }) }),
  ...(status === 'success' || status === 'error'
    ? {
        result: {
          ...{ requestId: id, toolName: 'read', success: status === 'success', status, message: 'ok', result: 'ok', durationMs: 3 },
          ...(data !== undefined && { data }),
        },
      }
    : {}),
});
const showing = (...cards: CardView[]) =>
  new FakeSurface({
    views: [assistant('a1', ['Looking.', ...cards.map(({ requestId }) => ({ call: requestId })), 'Done.'])],
    cards: Object.fromEntries(cards.map((one) => [one.requestId, one])),
  });
const shown = (panel: Element) => findAll(panel, part('message-tool')).filter((place) => place.getBoundingClientRect().height > 0).length;
const unfold = async (panel: Element) => {
  (await appears(panel, `${part('tool-card-result')} summary`)).click();
  return appears(panel, part('call-details'));
};

describe('calls that needed nobody', () => {
  it('fold to one line, which unfolds in place', async () => {
    const { panel } = await stage(showing(done('c1'), done('c2'), done('c3')));
    const line = await appears<HTMLButtonElement>(panel, part('call-list'));
    await until(() => shown(panel) === 0, 'the lines still stand there');
    expect(line.textContent.trim()).to.equal(en.lookedAt(3));
    expect(line.ariaExpanded).to.equal('false');
    line.focus();
    line.click();
    await until(() => shown(panel) === 3 && line.ariaExpanded === 'true', 'they do not unfold');
    expect((line.getRootNode() as ShadowRoot).activeElement).to.equal(line);
    line.click();
    await until(() => shown(panel) === 0, 'they do not fold again');
  });

  it('fold the same when they come one by one; what runs and what failed stays in view', async () => {
    const surface = showing(done('c1'), done('c2', undefined, 'query', 'executing'), done('c3', undefined, 'query', 'executing'));
    const { panel } = await stage(surface);
    await appears(panel, '[data-status=executing]');
    surface.setCard(done('c2'));
    await until(() => shown(panel) === 1, 'two that are done do not fold');
    surface.setCard(done('c3', undefined, 'query', 'error'));
    await appears(panel, '[data-status=error]');
    expect(shown(panel)).to.equal(1);
    expect(find(panel, part('call-list'))?.textContent.trim()).to.equal(en.lookedAt(2));
  });

  it('fold nothing that changed something, and no single one', async () => {
    const { panel } = await stage(showing(done('c1'), done('c2', undefined, 'write'), done('c3', undefined, 'danger')));
    await until(() => shown(panel) === 3, 'a line is missing');
    await until(() => customElements.get('tool-chat-call-list') !== undefined, 'the list does not load');
    await frame();
    expect([shown(panel), find(panel, part('call-list'))]).to.deep.equal([3, undefined]);
  });

  it('do not vanish under whoever reads one of them', async () => {
    const surface = showing(done('c1'), done('c2', undefined, 'query', 'executing'));
    const { panel } = await stage(surface);
    (await appears(panel, `${part('tool-card-result')} summary`)).click();
    await until(() => find<HTMLDetailsElement>(panel, `${part('tool-card-result')} details`)?.open === true, 'it does not unfold');
    surface.setCard(done('c2'));
    await appears(panel, part('call-list'));
    expect(shown(panel)).to.equal(2);
  });

  it('say so in Chinese', async () => {
    const { panel } = await stage(showing(done('c1'), done('c2')), { texts: zhCN, lang: 'zh-CN' });
    expect((await appears(panel, part('call-list'))).textContent.trim()).to.equal('查看了 2 项内容');
  });
});

describe('what a call gave back', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, title: `Task ${String(id)}`, done: id % 2 === 0 }));

  it('is a table when it is a list of objects, with a column for each key (S2-75)', async () => {
    const { panel } = await stage(showing(done('c1', [...rows(49), { id: 49, constructor: 'x' }])));
    const details = await unfold(panel);
    const heads = () => [...details.querySelectorAll('th')].map(({ textContent }) => textContent.trim());
    expect(heads()).to.deep.equal(['id', 'title', 'done', 'constructor']);
    expect(details.querySelector('table')?.getAttribute('aria-rowcount')).to.equal('51');
    expect(deepText(details)).to.include('Task 3').and.include(en.rowsShown(50)).and.not.include('function');
  });

  it('stands open where a person allowed it, and a single thing does not (S2-75)', async () => {
    const asked = (id: string, data: unknown, status: CardStatus) => {
      const view = done(id, data, 'query', status);
      return { ...view, call: call(id, { risk: 'query', decidedBy: 'person', status }) };
    };
    const surface = showing(
      asked('c1', undefined, 'executing'),
      asked('c2', undefined, 'executing'),
      done('c3', undefined, 'query', 'executing'),
    );
    const { panel } = await stage(surface);
    await appears(panel, '[data-status=executing]');
    surface.set({
      cards: { c1: asked('c1', rows(3), 'success'), c2: asked('c2', rows(1), 'success'), c3: done('c3', rows(3)) },
    });
    const details = await appears(panel, part('call-details'));
    expect(deepText(details)).to.include('Task 2');
    await frame();
    expect(findAll(panel, part('call-details'))).to.have.length(1);
  });

  it('keeps to a panel of 364 pixels, and scrolls in itself', async () => {
    const wide = rows(3).map((row) => ({ ...row, note: 'A long remark about this task', place: 'Somewhere far away', owner: 'Somebody' }));
    const { panel } = await stage(showing(done('c1', wide)), { width: 364 });
    const details = await unfold(panel);
    const { right } = panel.getBoundingClientRect();
    await until(() => details.querySelector('table') !== null, 'no table');
    expect(details.getBoundingClientRect().right).to.be.below(right);
    const scroller = details.querySelector('.frame') as HTMLElement;
    expect(scroller.scrollWidth).to.be.above(scroller.clientWidth);
    expect(find(panel, '.messages')?.scrollWidth).to.equal(find(panel, '.messages')?.clientWidth);
  });

  it('draws the rows in view of 50,000, without a hole wherever one scrolls (S2-75)', async () => {
    const { panel } = await stage(showing(done('c1', rows(50_000))));
    const details = await unfold(panel);
    const scroller = details.querySelector<HTMLElement>('.frame') as HTMLElement;
    expect(scroller.scrollHeight).to.equal(50_001 * 30);
    for (const top of [0, 333, 45_001, 750_000, scroller.scrollHeight - scroller.clientHeight]) {
      scroller.scrollTop = top;
      await frame();
      await frame();
      const box = scroller.getBoundingClientRect();
      const drawn = [...details.querySelectorAll('.row-of-data')].map((row) => row.getBoundingClientRect());
      expect(drawn.length).to.be.below(60);
      expect(drawn[0]?.top, `at ${String(top)}`).to.be.at.most(box.top + 31);
      expect(drawn.at(-1)?.bottom, `at ${String(top)}`).to.be.at.least(box.bottom - 2);
    }
    await until(() => deepText(details).includes('Task 49999'), 'the last row does not come');
    for (let frames = 0; frames < 10; frames += 1) await frame();
    expect(scroller.scrollTop + scroller.clientHeight, 'it scrolls back').to.be.at.least(scroller.scrollHeight - 1);
    const last = [...details.querySelectorAll('.row-of-data')].at(-1) as Element;
    expect(deepText(last)).to.include('Task 49999');
    expect(last.getBoundingClientRect().bottom).to.be.at.most(scroller.getBoundingClientRect().bottom);
  });

  it('is a tree when it is nested, drawn as it unfolds (S2-75)', async () => {
    const data = { hits: 3, page: { size: { of: 'twenty' } }, list: Array.from({ length: 5_000 }, (_, at) => at), none: [] };
    const { panel } = await stage(showing(done('c1', data)));
    const details = await unfold(panel);
    expect(deepText(details)).to.include('hits').and.not.include('twenty');
    const branch = (name: string) => [...details.querySelectorAll('summary')].find((one) => deepText(one).includes(name));
    branch('page')?.click();
    await until(() => branch('size') !== undefined, 'a branch does not unfold');
    branch('size')?.click();
    await until(() => deepText(details).includes('twenty'), 'a branch in a branch does not unfold');
    branch('list')?.click();
    await until(() => details.querySelectorAll('li').length > 100, 'a long list does not unfold');
    expect(details.querySelectorAll('li').length).to.be.below(120);
    [...details.querySelectorAll<HTMLElement>('button')].find((one) => one.textContent.trim() === en.moreEntries(100))?.click();
    await until(() => details.querySelectorAll('li').length > 200, 'there is no more of it');
  });

  it('copies all of it as it came (S2-76)', async () => {
    const data = rows(300);
    const { panel } = await stage(showing(done('c1', data)));
    const details = await unfold(panel);
    let copied = '';
    const { clipboard } = navigator;
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: { writeText: (text: string) => ((copied = text), Promise.resolve()) },
    });
    try {
      details.querySelector<HTMLElement>(part('copy-button'))?.click();
      await until(() => details.querySelector(part('copy-button'))?.ariaLabel === en.copied, 'it does not say so');
    } finally {
      Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
    }
    expect(JSON.parse(copied)).to.deep.equal(data);
  });

  it('is text when it is one, with everything hidden shown, and says when there is nothing', async () => {
    const { panel } = await stage(showing(done('c1', 'a\u202Eb<b>c</b>')));
    expect(deepText(await unfold(panel)))
      .to.include('U+202E')
      .and.include('<b>c</b>');
    const other = await stage(showing(done('c1', [])));
    expect(deepText(await unfold(other.panel))).to.include(en.noResults);
  });
});
