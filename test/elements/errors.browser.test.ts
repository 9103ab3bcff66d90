/** Bad days: the error bar, notices, calls that failed, offline and back, simpler modes, slow answers (S0-143, S0-144). */
import { expect } from '@open-wc/testing';
import type { CardView } from '../../src/model/calls.js';
import type { FailureView, ViewSnapshot } from '../../src/model/snapshot.js';
import { en } from '../../src/i18n/en.js';
import { errorsEn } from '../../src/i18n/error-texts.js';
import { assistant, card, FakeSurface, user } from './fake-surface.js';
import { stage, type PanelOptions } from './helpers.js';
import { appears, find, frames, part, said, until, words } from './looking.js';
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
    let finish = (_: FakeSurface['report']) => {};
    surface.checkConfiguration = () => (surface.asked.push('check'), new Promise((resolve) => (finish = resolve)));
    press('check-button');
    await until(() => check.ariaDisabled === 'true' && words(check).includes(errorsEn.checking), 'it does not look busy');
    press('check-button');
    expect(surface.asked).to.deep.equal(['check']);
    finish(surface.report);
    await until(() => check.ariaDisabled === 'false', 'it stays busy');
    const { panel } = await shown({ failure: withCode('LIMIT') });
    await appears(panel, part('feedback-button'));
    expect(find(panel, part('check-button'))).to.equal(undefined);
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

it('the card of a call that found nothing is neutral, and advises', async () => {
  const result = { requestId: 'c1', toolName: 'search', success: true, status: 'success', result: '', durationMs: 5 } as const;
  const cardOf = async (view: Partial<CardView>) => {
    const { panel } = await shown({ views: [asked, assistant('a1', [{ call: 'c1' }])], cards: { c1: card('c1', 'success', view) } });
    return { of: await appears(panel, part('tool-card')), color: getComputedStyle(await appears(panel, '.badge')).color };
  };
  const empty = { ...result, message: en.noResults, errorType: 'empty_result', data: [] } as const;
  const nothing = await cardOf({ result: empty, advice: en.adviceEmpty });
  expect(nothing.of.hasAttribute('data-empty')).to.equal(true);
  expect(words(nothing.of))
    .to.include(en.noResults)
    .and.include(en.adviceEmpty)
    .and.not.match(/[✅❌]/u);
  expect(nothing.color).to.not.equal((await cardOf({ result: { ...result, message: 'Found' } })).color);
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
