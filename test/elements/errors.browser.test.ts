/** Bad days: the error bar, notices, calls that failed, offline and back, simpler modes, slow answers (S0-143, S0-144). */
import { expect } from '@open-wc/testing';
import type { FailureView, ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { faultsEn } from '../../src/i18n/fault-texts.js';
import { assistant, call, card, FakeSurface, user } from './fake-surface.js';
import { stage, type PanelOptions } from './helpers.js';
import { appears, deepText, find, findAll, frames, part, said, until, words } from './looking.js';
import { chatOnPage, chatWith } from './tool-chat-stage.js';

const failure: FailureView = {
  error: { code: 'HTTP_ERROR', layer: 'network', errorType: 'auth', status: 401, message: en.unauthorised, retryable: false },
  lines: [en.unauthorised],
  canRetry: true,
};
const withCode = (code: string): FailureView => ({ ...failure, error: { ...failure.error, code: code as never } });
const asked = user('u1', 'hello');

async function shown(view: Partial<ViewSnapshot>, options: PanelOptions = {}) {
  const surface = new FakeSurface({ views: [asked], ...view });
  const { panel } = await stage(surface, options);
  const press = (name: string) => find(panel, part(name))?.click();
  const speaks = (text: string) => until(() => said(panel).some((one) => one.includes(text)), `“${text}” is not said`);
  return { surface, panel, press, speaks };
}
async function failing(change: Partial<FailureView> = {}, options: PanelOptions = {}) {
  const on = await shown({ failure: { ...failure, ...change } }, options);
  const check = await appears(on.panel, part('check-button'));
  /** What a check finds, as it is shown. */
  const finds = async (report: FakeSurface['report']) => {
    on.surface.report = report;
    on.press('check-button');
    return appears(on.panel, part('check-result'));
  };
  return { ...on, check, finds };
}

describe('the error bar', () => {
  it('stands by itself before its second half has come, and tells code, status and class to whoever unfolds them', async () => {
    const { panel } = await shown({ failure });
    expect(words(find(panel, part('error-bar')))).to.include(en.unauthorised);
    for (const name of ['retry-button', 'close-button']) expect(find(panel, part(name)), name).to.not.equal(undefined);
    const details = await appears<HTMLDetailsElement>(panel, part('error-details'));
    expect(details.open).to.equal(false);
    const isSeen = () => ['check-button', 'feedback-button'].map((name) => find(panel, part(name))?.checkVisibility());
    expect(isSeen()).to.deep.equal([false, false]);
    details.open = true;
    expect([...details.querySelectorAll('dd')].map(({ textContent }) => textContent)).to.deep.equal(['HTTP_ERROR', '401', 'auth']);
    expect(isSeen()).to.deep.equal([true, true]);
  });

  it('checks the configuration at a press, says in the bar and aloud what it found, and forgets it when another error comes', async () => {
    const { surface, panel, finds, speaks } = await failing();
    const found = words(await finds({ finding: 'cors', endpoint: 'https://api.example/chat', origin: 'https://shop.example' }));
    expect(surface.asked).to.deep.equal(['check']);
    for (const text of ['CORS', 'https://shop.example', 'https://api.example/chat']) expect(found).to.include(text);
    await speaks('does not let this site read');
    surface.set({ failure: withCode('CONNECT_FAILED') });
    await until(() => !find(panel, part('check-result')), 'the old finding stays');
  });

  it('runs one check at a time, and says while it does; checks nothing where no connection is to blame', async () => {
    const { surface, check, press } = await failing();
    let finish = () => {};
    surface.checkConfiguration = () => {
      surface.asked.push('check');
      return new Promise((resolve) => (finish = () => resolve({ finding: 'ok', endpoint: '' })));
    };
    press('check-button');
    await until(() => check.ariaDisabled === 'true', 'it does not look busy');
    expect(words(check)).to.include(faultsEn.checking);
    press('check-button');
    expect(surface.asked).to.deep.equal(['check']);
    finish();
    await until(() => check.ariaDisabled === 'false', 'it stays busy');
    const { panel } = await shown({ failure: withCode('LIMIT') });
    await appears(panel, part('feedback-button'));
    expect(find(panel, part('check-button'))).to.equal(undefined);
  });

  it('says in English what a page has no words for, and that it is English', async () => {
    const texts = Object.assign(Object.create(en) as typeof en, { showDetails: 'פרטים' });
    const { panel, check, finds } = await failing({}, { texts, lang: 'he' });
    panel.dir = 'rtl';
    for (const one of [await finds({ finding: 'ok', endpoint: '' }), check, find(panel, 'dl')!]) {
      const of = one.closest<HTMLElement>('[lang]');
      expect([of?.lang, of?.dir, getComputedStyle(one).direction]).to.deep.equal(['en', 'ltr', 'ltr']);
    }
    expect(find(panel, 'tool-chat-fault summary, summary')?.closest('[lang]')).to.equal(null);
  });

  it('tells the page that somebody has something to say, by a button or a link, but no address that runs a script', async () => {
    const { surface, panel, press } = await failing();
    const feedback = () => find<HTMLAnchorElement>(panel, part('feedback-button'))!;
    press('feedback-button');
    panel.feedbackUrl = ['javascript', 'alert(1)'].join(':');
    await panel.updateComplete;
    expect([feedback().localName, surface.asked]).to.deep.equal(['button', ['feedback']]);
    panel.feedbackUrl = 'https://help.example/report';
    await until(() => feedback().localName === 'a', 'no link');
    expect([feedback().href, feedback().rel.includes('noopener')]).to.deep.equal(['https://help.example/report', true]);
    feedback().addEventListener('click', (event) => event.preventDefault());
    feedback().click();
    expect(surface.asked).to.deep.equal(['feedback', 'feedback']);
  });

  it('offers a simpler mode, and passes the answer on', async () => {
    const { surface, panel, press } = await failing({ offer: en.offerWhole });
    expect(words(find(panel, part('offer-button')))).to.equal(en.offerWhole);
    press('offer-button');
    expect(surface.asked).to.deep.equal(['takeOffer']);
  });

  it('says that it waits for the network, tries at a press, and can be cancelled', async () => {
    const { surface, panel, press, speaks } = await shown({ isLoading: true, activities: ['streaming'] });
    surface.set({ offline: true });
    await panel.updateComplete;
    expect(words(find(panel, part('error-bar')))).to.include(en.offline);
    await speaks(en.offline);
    for (const name of ['retry-button', 'close-button']) press(name);
    expect(surface.asked).to.deep.equal(['retry', 'stop']);
  });
});

describe('a notice', () => {
  it('stands beside an error, is said once, has a button for what can be done, and stays until it is closed', async () => {
    const { surface, panel, speaks } = await shown({ failure });
    surface.set({ notices: [{ id: 'whole', text: en.noticeWhole, action: en.retryStreaming }] });
    const line = await appears(panel, part('notice'));
    expect(words(line)).to.include(en.noticeWhole);
    expect(find(panel, part('error-bar'))).to.not.equal(undefined);
    await speaks(en.noticeWhole);
    surface.set({ isLoading: true });
    await panel.updateComplete;
    expect(said(panel).filter((one) => one.includes(en.noticeWhole))).to.have.length(1);
    [...line.querySelectorAll('button')].find((one) => words(one) === en.retryStreaming)?.click();
    surface.set({ notices: [{ id: 'whole', text: en.noticeWhole, action: en.retryStreaming }] });
    (await appears(panel, `${part('notice')} ${part('close-button')}`)).click();
    expect(surface.asked).to.deep.equal(['notice whole act', 'notice whole close']);
    await until(() => !find(panel, part('notice')), 'it stays');
  });
});

describe('a card that failed', () => {
  const result = { requestId: 'c1', toolName: 'search', success: true, status: 'success', result: '', durationMs: 5 } as const;
  const cards = async (all: ViewSnapshot['cards'], view: Partial<ViewSnapshot> = {}) => {
    const calls = Object.keys(all).map((call) => ({ call }));
    const { panel } = await shown({ views: [asked, assistant('a1', calls)], cards: all, ...view });
    await until(() => findAll(panel, part('tool-card')).length === calls.length, 'not all cards');
    return { panel, text: () => deepText(panel) };
  };

  it('is neutral where nothing was found, and advises', async () => {
    const empty = { ...result, message: en.noResults, errorType: 'empty_result', data: [] } as const;
    const { panel, text } = await cards({ c1: card('c1', 'success', { result: empty, advice: en.adviceEmpty }) });
    expect(find(panel, part('tool-card'))?.hasAttribute('data-empty')).to.equal(true);
    expect(text()).to.include(en.noResults).and.to.include(en.adviceEmpty).and.not.include('✅').and.not.include('❌');
    const other = await cards({ c1: card('c1', 'success', { result: { ...result, message: 'Found' } }) });
    const [tone, success] = [panel, other.panel].map((one) => getComputedStyle(find(one, '.badge') as Element).color);
    expect(tone).to.not.equal(success);
  });

  it('asks whether it runs again, with the words for that', async () => {
    const waits = call('c1', { reason: en.reasonFailed('No network') });
    const c1 = card('c1', 'awaiting_approval', { call: waits, again: 'No network', advice: en.adviceNetwork });
    const { panel, text } = await cards({ c1 }, { isLoading: true, activities: ['awaitingApproval'] });
    await appears(panel, part('approve-button'));
    for (const one of [en.runAgain, en.runAgainButton, en.leaveIt, en.reasonFailed('No network')]) expect(text()).to.include(one);
  });

  it('says which call stands in for it, and that one for which', async () => {
    const failed = { ...result, success: false, status: 'error', message: 'No network' } as const;
    const { text } = await cards({
      c1: card('c1', 'error', { advice: en.toolStandIn('mirror'), result: failed }),
      c2: card('c2', 'success', { standsInFor: 'Search', result: { ...result, requestId: 'c2', message: 'Found' } }),
    });
    expect(text()).to.include(en.toolStandIn('mirror')).and.to.include(en.standsInFor('Search'));
  });
});

describe('a <tool-chat> on a bad day', () => {
  it('finds out why its endpoint does not let it in, and tells the page what a person has to say (Y-15)', async () => {
    const chat = await chatOnPage({ endpoint: '/__fault/chat?wire=cutie&status=401', 'log-level': 'off' });
    const told: unknown[] = [];
    chat.addEventListener('tool-chat-feedback', ({ error }) => told.push(error));
    const { error } = await chat.sendMessage('hello');
    (await appears(chat, part('check-button'))).click();
    expect((await appears(chat, part('check-result'))).dataset['finding']).to.equal('auth');
    find(chat, part('feedback-button'))?.click();
    expect(told).to.deep.equal([error]);
    chat.setAttribute('feedback-url', 'https://help.example/report');
    await until(() => find<HTMLAnchorElement>(chat, part('feedback-button'))?.href === 'https://help.example/report', 'no link');
  });

  it('is waited for in the frame after sending where it is slow, and a faster model can be chosen (S0-179)', async () => {
    const { chat, model } = await chatWith([], { models: 'slow-large swift-small' });
    const turn = chat.sendMessage('Hi');
    await frames(2);
    const dots = find(chat, '.dots');
    expect([dots?.checkVisibility(), getComputedStyle(dots!.firstElementChild!).animationName]).to.deep.equal([true, 'pulse']);
    // It is loaded at a quiet moment.
    await appears(chat, part('model-menu'));
    await model.reply('Hello');
    await turn;
    await until(() => !find(chat, '.dots')?.checkVisibility(), 'it is still waited for');
  });
});
