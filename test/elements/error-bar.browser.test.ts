/** The error bar: what happened, what to do, what it says of itself, and the check that tells why (S0-143, S0-144). */
import { expect } from '@open-wc/testing';
import type { FailureView, NoticeView, ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { faultsEn } from '../../src/i18n/fault-texts.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { faultsZh } from '../../src/i18n/zh-faults.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { appears, deepText, find, findAll, part, stage, until } from './helpers.js';

const failure: FailureView = {
  error: { code: 'HTTP_ERROR', layer: 'network', errorType: 'auth', status: 401, message: en.unauthorised, retryable: false },
  lines: [en.unauthorised],
  canRetry: true,
};
const asked = user('u1', 'hello');
const said = (panel: Element) => deepText(find(panel, '.said') as Element);

async function failing(change: Partial<FailureView> = {}, zh = false) {
  const surface = new FakeSurface({ views: [asked], failure: { ...failure, ...change } });
  const { panel } = await stage(surface, zh ? { texts: zhCN, lang: 'zh-CN' } : {});
  await appears(panel, part('check-button'));
  return { surface, panel };
}
const press = (panel: Element, name: string) => find(panel, part(name))?.click();

describe('the error bar', () => {
  it('stands by itself before its second half has come, and where that never comes', async () => {
    const { panel } = await stage(new FakeSurface({ views: [asked], failure }));
    expect(deepText(find(panel, part('error-bar')) as Element)).to.include(en.unauthorised);
    expect(find(panel, part('retry-button'))).to.not.equal(undefined);
    expect(find(panel, part('close-button'))).to.not.equal(undefined);
  });

  it('tells code, status and class to whoever unfolds them', async () => {
    const { panel } = await failing();
    const details = find<HTMLDetailsElement>(panel, part('error-details'))!;
    expect(details.open).to.equal(false);
    details.open = true;
    expect([...details.querySelectorAll('dd')].map(({ textContent }) => textContent)).to.deep.equal(['HTTP_ERROR', '401', 'auth']);
  });

  it('checks the configuration at a press, and says in the bar and aloud what it found and what to do', async () => {
    const { surface, panel } = await failing();
    surface.report = { finding: 'cors', endpoint: 'https://api.example/chat', origin: 'https://shop.example' };
    press(panel, 'check-button');
    const found = await appears(panel, part('check-result'));
    expect(surface.asked).to.deep.equal(['check']);
    expect(deepText(found)).to.include('CORS').and.to.include('https://shop.example').and.to.include('https://api.example/chat');
    await until(() => said(panel).includes('does not let this site read'), 'the finding is not said');
  });

  it('runs one check at a time, and says while it does', async () => {
    const { surface, panel } = await failing();
    let finish = () => {};
    surface.checkConfiguration = () => {
      surface.asked.push('check');
      return new Promise((resolve) => (finish = () => resolve({ finding: 'ok', endpoint: '' })));
    };
    press(panel, 'check-button');
    await until(() => find(panel, part('check-button'))?.ariaDisabled === 'true', 'it does not look busy');
    expect(deepText(find(panel, part('check-button')) as Element)).to.include(faultsEn.checking);
    press(panel, 'check-button');
    expect(surface.asked).to.deep.equal(['check']);
    finish();
    await until(() => find(panel, part('check-button'))?.ariaDisabled === 'false', 'it stays busy');
  });

  it('forgets what it found when another error comes', async () => {
    const { surface, panel } = await failing();
    press(panel, 'check-button');
    await appears(panel, part('check-result'));
    surface.set({ failure: { ...failure, error: { ...failure.error, code: 'CONNECT_FAILED' } } });
    await until(() => !find(panel, part('check-result')), 'the old finding stays');
  });

  it('checks nothing where no connection is to blame', async () => {
    const surface = new FakeSurface({ views: [asked], failure: { ...failure, error: { ...failure.error, code: 'LIMIT' } } });
    const { panel } = await stage(surface);
    await appears(panel, part('feedback-button'));
    expect(find(panel, part('check-button'))).to.equal(undefined);
  });

  it('speaks Chinese where the page does', async () => {
    const { surface, panel } = await failing({}, true);
    expect(deepText(find(panel, part('check-button')) as Element)).to.include(faultsZh.check);
    surface.report = { finding: 'auth', endpoint: '', status: 403 };
    press(panel, 'check-button');
    expect(deepText(await appears(panel, part('check-result')))).to.include('接口要求身份验证（403）');
  });

  for (const lang of ['ar', 'de', 'es', 'fr', 'ja'])
    it(`speaks ${lang} where the page does, down to what a check finds`, async () => {
      const texts = await loadTexts(lang);
      const surface = new FakeSurface({ views: [asked], failure });
      const { panel } = await stage(surface, { texts, lang });
      expect(deepText(await appears(panel, part('check-button'))).trim())
        .to.equal(texts.faults?.check)
        .and.not.equal(faultsEn.check);
      surface.report = { finding: 'auth', endpoint: '', status: 403 };
      press(panel, 'check-button');
      const found = await appears(panel, part('check-result'));
      for (const line of texts.faults?.findings.auth(surface.report) ?? []) expect(deepText(found)).to.include(line);
      expect(found.closest('[lang]')).to.equal(null);
    });

  it('says in English what a page has no words for, and that it is English', async () => {
    const texts = Object.assign(Object.create(en) as typeof en, { showDetails: 'פרטים' });
    const surface = new FakeSurface({ views: [asked], failure });
    const { panel } = await stage(surface, { texts, lang: 'he' });
    panel.dir = 'rtl';
    await appears(panel, part('check-button'));
    press(panel, 'check-button');
    const found = await appears(panel, part('check-result'));
    for (const one of [found, find(panel, part('check-button')), find(panel, 'dl')]) {
      const of = one?.closest<HTMLElement>('[lang]');
      expect([of?.lang, of?.dir, one && getComputedStyle(one).direction]).to.deep.equal(['en', 'ltr', 'ltr']);
    }
    expect(find(panel, 'tool-chat-fault summary, summary')?.closest('[lang]')).to.equal(null);
  });

  it('tells the page that somebody has something to say, with a button or, where there is an address, a link', async () => {
    const { surface, panel } = await failing();
    expect(find(panel, part('feedback-button'))?.localName).to.equal('button');
    press(panel, 'feedback-button');
    expect(surface.asked).to.deep.equal(['feedback']);
    panel.feedbackUrl = 'https://help.example/report';
    await until(() => find(panel, part('feedback-button'))?.localName === 'a', 'no link');
    const link = find<HTMLAnchorElement>(panel, part('feedback-button'))!;
    expect(link.href).to.equal('https://help.example/report');
    expect(link.rel).to.include('noopener');
    link.addEventListener('click', (event) => event.preventDefault());
    link.click();
    expect(surface.asked).to.deep.equal(['feedback', 'feedback']);
  });

  it('takes no address that would run a script', async () => {
    const { panel } = await failing();
    // eslint-disable-next-line no-script-url -- what must not become a link
    panel.feedbackUrl = 'javascript:alert(1)';
    await panel.updateComplete;
    expect(find(panel, part('feedback-button'))?.localName).to.equal('button');
  });

  it('offers a simpler mode, and passes the answer on', async () => {
    const { surface, panel } = await failing({ offer: en.offerWhole });
    expect(deepText(find(panel, part('offer-button')) as Element)).to.equal(en.offerWhole);
    press(panel, 'offer-button');
    expect(surface.asked).to.deep.equal(['takeOffer']);
  });

  it('says that it waits for the network, tries at a press, and can be cancelled', async () => {
    const surface = new FakeSurface({ views: [asked], isLoading: true, activities: ['streaming'] });
    const { panel } = await stage(surface);
    surface.set({ offline: true });
    await panel.updateComplete;
    expect(deepText(find(panel, part('error-bar')) as Element)).to.include(en.offline);
    await until(() => said(panel).includes(en.offline), 'it is not said');
    press(panel, 'retry-button');
    press(panel, 'close-button');
    expect(surface.asked).to.deep.equal(['retry', 'stop']);
  });
});

describe('notices', () => {
  const notice: NoticeView = { id: 'whole', text: en.noticeWhole, action: en.retryStreaming };
  const noticed = async (view: Partial<ViewSnapshot> = {}) => {
    const surface = new FakeSurface({ views: [asked], ...view });
    const { panel } = await stage(surface);
    surface.set({ notices: [notice] });
    return { surface, panel, line: await appears(panel, part('notice')) };
  };

  it('are said once, and stay until they are closed', async () => {
    const { surface, panel, line } = await noticed();
    expect(deepText(line)).to.include(en.noticeWhole);
    await until(() => said(panel).includes(en.noticeWhole), 'it is not said');
    surface.set({ isLoading: true });
    await panel.updateComplete;
    expect(said(panel).split(en.noticeWhole)).to.have.length(2);
    line.querySelector<HTMLElement>(part('close-button'))?.click();
    expect(surface.asked).to.deep.equal(['notice whole close']);
    await until(() => !find(panel, part('notice')), 'it stays');
  });

  it('have a button for what can be done', async () => {
    const { surface, line } = await noticed();
    [...line.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === en.retryStreaming)?.click();
    expect(surface.asked).to.deep.equal(['notice whole act']);
  });

  it('stand beside an error', async () => {
    const { panel } = await noticed({ failure });
    expect(find(panel, part('error-bar'))).to.not.equal(undefined);
  });
});

describe('a card that failed', () => {
  const shown = async (view: Partial<ViewSnapshot>) => {
    const surface = new FakeSurface({ views: [asked, assistant('a1', [{ call: 'c1' }])], ...view });
    const { panel } = await stage(surface);
    return { surface, panel, element: await appears(panel, part('tool-card')) };
  };
  const result = { requestId: 'c1', toolName: 'search', success: true, status: 'success', result: '', durationMs: 5 } as const;

  it('is neutral where nothing was found, and advises', async () => {
    const empty = { ...result, message: en.noResults, errorType: 'empty_result', data: [] } as const;
    const { panel, element } = await shown({ cards: { c1: card('c1', 'success', { result: empty, advice: en.adviceEmpty }) } });
    expect(element.hasAttribute('data-empty')).to.equal(true);
    const text = deepText(panel);
    expect(text).to.include(en.noResults).and.to.include(en.adviceEmpty).and.not.include('✅').and.not.include('❌');
    const other = await shown({ cards: { c1: card('c1', 'success', { result: { ...result, message: 'Found' } }) } });
    const tone = (one: Element) => getComputedStyle(one.querySelector('.badge') as Element).color;
    expect(tone(element)).to.not.equal(tone(other.element));
  });

  it('asks whether it runs again, with the words for that', async () => {
    const waits = call('c1', { reason: en.reasonFailed('No network') });
    const { panel } = await shown({
      isLoading: true,
      activities: ['awaitingApproval'],
      cards: { c1: card('c1', 'awaiting_approval', { call: waits, again: 'No network', advice: en.adviceNetwork }) },
    });
    await appears(panel, part('approve-button'));
    const text = deepText(panel);
    for (const words of [en.runAgain, en.runAgainButton, en.leaveIt, en.reasonFailed('No network')]) expect(text).to.include(words);
  });

  it('says which call stands in for it, and that one for which', async () => {
    const { panel } = await shown({
      views: [asked, assistant('a1', [{ call: 'c1' }, { call: 'c2' }])],
      cards: {
        c1: card('c1', 'error', {
          advice: en.toolStandIn('mirror'),
          result: { ...result, success: false, status: 'error', message: 'No network' },
        }),
        c2: card('c2', 'success', { standsInFor: 'Search', result: { ...result, requestId: 'c2', message: 'Found' } }),
      },
    });
    await until(() => findAll(panel, part('tool-card')).length === 2, 'two cards');
    const text = deepText(panel);
    expect(text).to.include(en.toolStandIn('mirror')).and.to.include(en.standsInFor('Search'));
  });
});
