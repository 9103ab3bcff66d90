/** The card of a call that is not quite the page's own: of the service, or written so that it could not be read. And text that pretends. */
import { expect } from '@open-wc/testing';
import type { CardStatus, CardView, PublishedResult } from '../../src/model/calls.js';
import { render } from 'lit';
import { argumentRows, renderValue } from '../../src/elements/value-view.js';
import { en, wholeEnglish } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface } from './fake-surface.js';
import { appears, deepText, everything, find, findAll, part, stage, until } from './helpers.js';

const outcome = (status: PublishedResult['status'], change: Partial<PublishedResult> = {}): PublishedResult => ({
  ...{ requestId: 'c1', toolName: 'search', success: status === 'success', status, message: '', result: '', durationMs: 0 },
  ...change,
});
const served = (status: CardStatus, result?: PublishedResult): CardView => ({
  ...{ requestId: 'c1', toolName: 'search', label: 'search', status, service: true, params: { query: 'milk', limit: 5 } },
  ...(result && { result }),
});
const showing = (...cards: CardView[]) =>
  new FakeSurface({
    views: [assistant('a1', ['Looking.', ...cards.map(({ requestId }) => ({ call: requestId }))])],
    cards: Object.fromEntries(cards.map((one) => [one.requestId, one])),
  });
const words = (element: Element | undefined) =>
  deepText(element as Element)
    .replace(/\s+/g, ' ')
    .trim();

/** Turned direction, nothing to see, and markup. */
const HOSTILE = 'Approved\u202E.gnp\u200B\u{E0041}<img src=x onerror="window.pwned=1"><b>bold</b> **bold** [x](javascript:pwned)';
const SHOWN = 'ApprovedU+202E.gnpU+200BU+E0041<img src=x onerror="window.pwned=1"><b>bold</b> **bold** [x](javascript:pwned)';

describe('a card', () => {
  before(() => wholeEnglish());

  describe("of the service's own doing", () => {
    it('says so from the start to the end, and has nothing to press but its details', async () => {
      const surface = showing(served('executing'));
      const { panel } = await stage(surface);
      const shown = await appears(panel, part('tool-card'));
      await until(() => words(shown).includes(en.serviceRuns), 'it does not say who runs it');
      expect(words(shown)).to.include('query = milk').and.include('limit = 5').and.not.include(en.runningTool('search'));
      expect([shown.ariaBusy, findAll(panel, `${part('tool-card')} button`).length]).to.deep.equal(['true', 0]);

      surface.setCard(served('success', outcome('success', { message: en.serviceDid, data: { hits: 3 } })));
      await until(() => shown.dataset['status'] === 'success', 'it does not end');
      expect(words(shown).match(new RegExp(en.serviceDid, 'g')), words(shown)).to.have.length(1);
      expect(words(shown)).not.to.include(en.toolFinished);
      const fold = find<HTMLDetailsElement>(panel, `${part('tool-card-result')} details`) as HTMLDetailsElement;
      expect([fold.open, deepText(fold).includes('hits')]).to.deep.equal([false, false]);
      find(panel, `${part('tool-card-result')} summary`)?.click();
      await until(() => words(fold).includes('hits: 3'), 'the result does not unfold');
      expect(findAll(panel, `${part('tool-card')} button`)).to.have.length(0);
      await until(() => words(find(panel, '.said')).includes(`${en.saidFinished('search')}. ${en.serviceDid}`), 'the end is not said');
    });

    it('says what went wrong there, and what was left open', async () => {
      const failed = served(
        'error',
        outcome('error', { message: en.toolFailed, result: 'The index is offline', code: 'EXECUTION_FAILED' }),
      );
      const open = { ...served('cancelled', outcome('cancelled', { message: en.serviceLeftOpen })), requestId: 'c2' };
      const { panel } = await stage(showing(failed, open));
      await appears(panel, '[data-status=cancelled]');
      expect(words(find(panel, '[data-status=error]')))
        .to.include(`${en.toolFailed} `)
        .and.include(`${en.errorLabel} The index is offline`);
      expect(words(find(panel, '[data-status=cancelled]')))
        .to.include(en.cancelled)
        .and.include(en.serviceLeftOpen);
    });

    it('is told apart from a call that a person allowed the service to make', async () => {
      const allowed = card('c1', 'success', {
        call: call('c1', { flags: ['service'], toolName: 'pay', label: 'pay' }),
        result: outcome('success', { message: en.serviceAllowed }),
      });
      const { panel } = await stage(showing(allowed));
      const shown = await appears(panel, '[data-status=success]');
      expect(words(shown)).to.include(en.serviceAllowed).and.not.include(en.toolFinished).and.not.include(en.serviceDid);
    });

    it('differs from a call of the page', async () => {
      const { panel } = await stage(showing(card('c1', 'success', { result: outcome('success', { message: 'Deleted' }) })));
      const shown = await appears(panel, '[data-status=success]');
      expect(words(shown)).to.include('Deleted').and.not.include('service');
    });
  });

  describe('of a call whose tool says nothing', () => {
    const line = (panel: Element) => words(find(panel, `${part('tool-card-header')} .title`));
    const done = (change: Partial<CardView>, message: string) =>
      showing(card('c1', 'success', { result: outcome('success', { message }), ...change }));

    for (const lang of ['en', 'zh-CN', 'ar', 'ja', 'es', 'fr', 'de'])
      it(`says by the name of the tool that it is done, never that "a tool" is: ${lang}`, async () => {
        const texts = await loadTexts(lang);
        const said = texts.toolDone('Add to basket');
        expect(said).to.include('Add to basket');
        for (const name of ['add_to_basket', 'addToBasket', 'Add to basket'])
          for (const message of ['', texts.toolFinished, said]) {
            const { panel } = await stage(done({ label: name, toolName: name, call: call('c1', { label: name }) }, message), {
              texts,
              lang,
            });
            await appears(panel, '[data-status=success]');
            expect([line(panel), deepText(find(panel, '.result > p') ?? document.createTextNode('')).trim()]).to.deep.equal([said, '']);
          }
      });

    it('stays with the sentence of the call where there is one', async () => {
      const sentence = 'Delete the task “Call the dentist”';
      const { panel } = await stage(done({ call: call('c1', { sentence }), label: 'Delete task' }, en.toolDone('Delete task')));
      await appears(panel, '[data-status=success]');
      expect(line(panel)).to.equal(sentence);
    });

    it('is spoken once', async () => {
      const change = { label: 'delete_task', call: call('c1') };
      const surface = showing(card('c1', 'executing', change));
      const { panel } = await stage(surface);
      await appears(panel, '[data-status=executing]');
      surface.setCard(card('c1', 'success', { ...change, result: outcome('success', { message: en.toolDone('Delete task') }) }));
      await until(() => words(find(panel, '.said')).includes(en.saidFinished('delete_task')), 'the end is not said');
      expect(words(find(panel, '.said'))).not.to.include(en.toolDone('Delete task'));
    });
  });

  describe('of a call that could not be read', () => {
    const unread = (label: string, message: string): CardView => ({
      ...{ requestId: 'c1', toolName: label, label, status: 'error' as const, params: {}, raw: '<invoke name="x">…' },
      result: outcome('error', { code: 'MALFORMED_CALL', message }),
    });

    it('says that nothing happened and why, and folds what the model wrote', async () => {
      const surface = showing({ ...unread('search', ''), status: 'pending' });
      const { panel } = await stage(surface);
      await appears(panel, '[data-status=pending]');
      surface.setCard(unread('search', en.malformedCall(en.problemUnclosed)));
      const shown = await appears(panel, '[data-status=error]');
      await until(() => words(shown).includes(en.notExecuted), 'it does not say that nothing happened');
      expect(words(shown)).to.include('search').and.include(en.problemUnclosed).and.not.include('<invoke').and.not.include('MALFORMED');
      find(panel, `${part('tool-card-result')} summary`)?.click();
      await until(() => words(shown).includes('<invoke name="x">…'), 'what the model wrote does not unfold');
      await until(
        () => words(find(panel, '.said')).includes(en.saidFailed('search', en.malformedCall(en.problemUnclosed))),
        'it is not said',
      );
    });

    it('has a title even if the call names no tool', async () => {
      const { panel } = await stage(showing(unread('', en.malformedCall(en.problemMissingName))));
      const shown = await appears(panel, '[data-status=error]');
      expect(words(find(panel, '.label'))).to.equal(en.couldNotRead);
      expect(words(shown)).to.include(en.problemMissingName);
    });
  });

  it('folds a long message', async () => {
    const message = `${'line\n'.repeat(40)}the end`;
    const { panel } = await stage(showing(card('c1', 'success', { result: outcome('success', { message }) })));
    const shown = await appears(panel, `${part('tool-card-result')} [data-folded]`);
    expect(shown.getBoundingClientRect().height).to.be.below(250);
    find(panel, '.fold button')?.click();
    await until(() => !shown.matches('[data-folded]'), 'it does not unfold');
  });

  it('shows parameters past a hundred as one value, which unfolds', async () => {
    const params = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`key ${String(at)}`, at]));
    const { panel } = await stage(showing({ ...served('executing'), params }));
    const shown = await appears(panel, part('tool-card-arguments'));
    expect(shown.querySelectorAll('.row')).to.have.length(100);
    expect(words(shown)).to.include('key 98 = 98').and.include(en.moreParameters(39_901)).and.include('"key 39999": 39999');
    expect(shown.querySelectorAll('*').length).to.be.below(2_000);
    shown.querySelector<HTMLElement>('.fold button')?.click();
    await until(() => !shown.querySelector('[data-folded]'), 'it does not unfold');
  });

  it('works out what stands in a card once, however often it is drawn', () => {
    const args = Object.freeze(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key ${String(at)}`, at])));
    expect(argumentRows(args, en)).to.equal(argumentRows(args, en));
    expect(argumentRows(args, zhCN)[99]?.[0]).to.equal(zhCN.moreParameters(201));
    const open = { title: 'milk' };
    expect(argumentRows(open, en)).to.deep.equal([['title', 'milk']]);
    open.title = 'rice';
    expect(argumentRows(open, en)).to.deep.equal([['title', 'rice']]);
  });

  it('draws a long value in time that grows with it: without a break, without a letter, of what nobody sees', function () {
    this.timeout(30_000);
    for (const unit of ['x', '7, ', '\n  7,', 'a\u200b']) {
      const cost = (length: number) => {
        const text = unit.repeat(length / unit.length);
        const at = document.createElement('div');
        document.body.append(at);
        const start = performance.now();
        render(renderValue(text, { texts: en, open: true, toggle: () => {} }), at);
        const ms = performance.now() - start;
        at.remove();
        return ms;
      };
      cost(100_000);
      const [short, long] = [250_000, 2_000_000].map((length) => Math.min(cost(length), cost(length + 6), cost(length + 12))) as [
        number,
        number,
      ];
      // Eight times the length costs sixty-four times as much where each piece is looked for in all of it.
      expect(long, JSON.stringify(unit)).to.be.below(24 * short + 40);
    }
  });

  it('reads a long value in the direction of its first letter, as it does a short one', () => {
    const directionOf = (text: string) => {
      const at = document.createElement('div');
      document.body.append(at);
      render(renderValue(text, { texts: en, open: false, toggle: () => {} }), at);
      const { direction } = getComputedStyle(at.querySelector('.value') as Element);
      at.remove();
      return direction;
    };
    for (const [beginning, direction] of [
      ['7: שלום ', 'rtl'],
      ['"مرحبا" ', 'rtl'],
      ['7: hello שלום ', 'ltr'],
      ['7, 8, ', 'ltr'],
      ['你好 שלום ', 'ltr'],
    ] as const)
      for (const times of [1, 2_000]) expect(directionOf(beginning.repeat(times)), `${beginning}× ${String(times)}`).to.equal(direction);
  });

  describe('makes no markup and hides nothing', () => {
    const places: Record<string, CardView> = {
      'in the name of a tool': { ...served('success', outcome('success', { message: 'ok' })), toolName: HOSTILE, label: HOSTILE },
      'in the name of a tool that runs': { ...card('c1', 'executing'), toolName: HOSTILE },
      'in arguments of the service': { ...served('executing'), params: { [HOSTILE]: 1, x: HOSTILE } },
      'in a message': card('c1', 'success', { result: outcome('success', { message: HOSTILE }) }),
      'in an error of the service': served('error', outcome('error', { message: en.toolFailed, result: HOSTILE })),
      'in a near miss': {
        ...served('error', outcome('error', { code: 'MALFORMED_CALL', message: en.wrongNotation(HOSTILE) })),
        ...{ label: HOSTILE, toolName: HOSTILE, params: {}, raw: HOSTILE },
      },
      'in data': served('success', outcome('success', { message: en.serviceDid, data: HOSTILE })),
      'in a question of the service': card('c1', 'awaiting_approval', {
        call: call('c1', { flags: ['service'], reason: HOSTILE, label: HOSTILE }),
      }),
      'in a refusal': card('c1', 'denied', { result: outcome('denied', { message: HOSTILE }) }),
    };
    for (const [where, hostile] of Object.entries(places))
      it(where, async () => {
        const { panel } = await stage(showing(hostile));
        const shown = await appears(panel, part('tool-card'));
        for (const summary of findAll(panel, `${part('tool-card-result')} summary`)) summary.click();
        await until(() => words(shown).includes(SHOWN), `not as text: ${words(shown)}`);
        const made = [...everything((find(panel, 'tool-chat-call') as Element).shadowRoot as ShadowRoot)].filter((element) =>
          element.matches('img, b, strong, a, script, iframe, [onerror]'),
        );
        expect(made).to.deep.equal([]);
        expect(words(shown)).not.to.match(/[\u202E\u200B]/);
        expect('pwned' in window).to.equal(false);
      });
  });

  describe('of a call that can be taken back', () => {
    const done = (change: Partial<CardView>): CardView => {
      const { service: _, ...ours } = served('success', outcome('success', { message: 'Added' }));
      return { ...ours, ...change };
    };

    it('offers that, alone and with what followed, and asks for nothing else', async () => {
      const surface = showing(done({ undo: 'offered', undoBack: true }));
      const { panel } = await stage(surface);
      const [undo, back] = await Promise.all(['undo-button', 'undo-back-button'].map((name) => appears(panel, `[part="${name}"]`)));
      expect([words(undo), words(back)]).to.deep.equal([en.undo, en.undoBack]);
      (undo as HTMLElement).click();
      (back as HTMLElement).click();
      expect(surface.asked).to.deep.equal(['undo c1', 'undo c1 and what followed']);
      await expect(panel).to.be.accessible();
    });

    it('says how it goes: running, failed, undone', async () => {
      const surface = showing(done({ undo: 'running', undoBack: true }));
      const { panel } = await stage(surface);
      const button = (await appears(panel, '[part="undo-button"]')) as HTMLButtonElement;
      expect([button.disabled, words(button), find(panel, '[part="undo-back-button"]')]).to.deep.equal([true, en.undoing, undefined]);
      surface.setCard(done({ undo: 'failed' }));
      await until(() => words(find(panel, '.undo')).includes(en.undoFailed), 'the failure is not said');
      surface.setCard(done({ status: 'undone' }));
      await until(() => !find(panel, '.undo'), 'the button stays');
      await until(() => words(find(panel, '.said')).includes(en.undone), 'the end is not said');
    });

    it('has no such button otherwise', async () => {
      const { panel } = await stage(showing(done({})));
      await appears(panel, '[part="tool-card-result"]');
      expect(find(panel, '[part="undo-button"]')).to.equal(undefined);
    });
  });
});
