/** The cards of calls: of the service, unreadable, undone; what they gave back; and text that pretends. */
import { expect } from '@open-wc/testing';
import { render } from 'lit';
import type { Call, CardStatus, CardView, PublishedResult, Risk } from '../../src/model/calls.js';
import { renderValue } from '../../src/elements/value-view.js';
import { en, fullEnglish } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { assistant, call, card, FakeSurface } from './fake-surface.js';
import { stage, type PanelOptions } from './helpers.js';
import { accessible, appears, deepText, everything, find, findAll, focused, frames, part, said, until, words } from './looking.js';
import { call as written, chatWith, tool } from './tool-chat-stage.js';

const outcome = (status: PublishedResult['status'], change: Partial<PublishedResult> = {}): PublishedResult => ({
  ...{ requestId: 'c1', toolName: 'search', success: status === 'success', status, message: '', result: '', durationMs: 0 },
  ...change,
});
const served = (status: CardStatus, change?: Partial<PublishedResult>): CardView => ({
  ...{ requestId: 'c1', toolName: 'search', label: 'search', status, service: true, params: { query: 'milk', limit: 5 } },
  ...(change && { result: outcome(status as PublishedResult['status'], change) }),
});
const unread = (label: string, message: string): CardView => ({
  ...{ requestId: 'c1', toolName: label, label, status: 'error', params: {}, raw: '<invoke name="x">…' },
  result: outcome('error', { code: 'MALFORMED_CALL', message }),
});
const done = (message: string, change: Partial<CardView> = {}) =>
  card('c1', 'success', { result: outcome('success', { message }), ...change });

async function showing(cards: CardView | CardView[], options: PanelOptions = {}) {
  const all = [cards].flat();
  const surface = new FakeSurface({
    views: [assistant('a1', ['Looking.', ...all.map(({ requestId }) => ({ call: requestId })), 'Done.'])],
    cards: Object.fromEntries(all.map((one) => [one.requestId, one])),
  });
  const { panel } = await stage(surface, options);
  const shown = await appears(panel, `[data-status=${all.at(-1)!.status}]`);
  const becomes = async (view: CardView) => {
    surface.setCard(view);
    await until(() => shown.dataset['status'] === view.status, `it is not ${view.status}`);
  };
  const says = (...texts: string[]) => until(() => texts.every((text) => words(shown).includes(text)), `not said: ${texts.join()}`);
  return { surface, panel, shown, becomes, says, line: () => words(find(panel, `${part('tool-card-header')} .title`)) };
}
const unfold = async (panel: Element) => (await appears(panel, `${part('tool-card-result')} summary`)).click();

describe('a card', () => {
  before(() => fullEnglish());

  it("of the service's own doing says so from the start to the end, and has nothing to press but its details", async () => {
    const { panel, shown, says, becomes } = await showing(served('executing'));
    await says(en.serviceRuns, 'query = milk', 'limit = 5');
    expect(words(shown)).not.to.include(en.runningTool('search'));
    expect([shown.ariaBusy, findAll(panel, `${part('tool-card')} button`).length]).to.deep.equal(['true', 0]);
    await becomes(served('success', { message: en.serviceDid, data: { hits: 3 } }));
    expect(words(shown).split(en.serviceDid), words(shown)).to.have.length(2);
    expect(words(shown)).not.to.include(en.toolFinished).and.not.include('hits');
    await unfold(panel);
    await says('hits: 3');
    expect(findAll(panel, `${part('tool-card')} button`)).to.have.length(0);
    await until(() => said(panel).at(-1) === `${en.saidFinished('search')}. ${en.serviceDid}`, 'the end is not said');
  });

  for (const [what, view, says, not] of [
    [
      'of the service says what went wrong there',
      served('error', { message: en.toolFailed, result: 'The index is offline', code: 'EXECUTION_FAILED' }),
      [en.toolFailed, `${en.errorLabel} The index is offline`],
      en.serviceDid,
    ],
    [
      'of a call that a person allowed the service to make is told apart from one of its own',
      done(en.serviceAllowed, { call: call('c1', { flags: ['service'], toolName: 'pay', label: 'pay' }) }),
      [en.serviceAllowed],
      en.serviceDid,
    ],
    [
      'of a call that could not be read says that nothing happened and why',
      unread('search', en.malformedCall(en.problemUnclosed)),
      ['search', en.notExecuted, en.problemUnclosed],
      'MALFORMED',
    ],
    [
      'of a call that names no tool has a title',
      unread('', en.malformedCall(en.problemMissingName)),
      [en.couldNotRead, en.problemMissingName],
      '<invoke',
    ],
  ] as const)
    it(what, async () => {
      const on = await showing(view);
      await on.says(...says);
      expect(words(on.shown)).not.to.include(not);
    });

  it('of a call that could not be read folds what the model wrote, and says why aloud', async () => {
    const { panel, becomes, says } = await showing({ ...unread('search', ''), status: 'pending' });
    await becomes(unread('search', en.malformedCall(en.problemUnclosed)));
    await unfold(panel);
    await says('<invoke name="x">…');
    await until(() => said(panel).at(-1) === en.saidFailed('search', en.malformedCall(en.problemUnclosed)), 'it is not said');
  });

  for (const lang of ['en', 'zh-CN', 'ar', 'ja', 'es', 'fr', 'de'])
    it(`says by the name of a tool that says nothing that it is done, never that "a tool" is: ${lang}`, async () => {
      const texts = await loadTexts(lang);
      const name = texts.toolDone('Add to basket');
      const shown = name.replace(/\s/g, ' ');
      expect(name).to.include('Add to basket');
      for (const label of ['add_to_basket', 'addToBasket', 'Add to basket'])
        for (const message of label === 'add_to_basket' ? ['', texts.toolFinished, name] : ['']) {
          const { panel, line } = await showing(done(message, { label, toolName: label, call: call('c1', { label }) }), { texts, lang });
          expect([line(), words(find(panel, '.result > p'))]).to.deep.equal([shown, '']);
        }
    });

  it('stays with the sentence of the call where there is one; its end is spoken once', async () => {
    const sentence = 'Delete the task “Call the dentist”';
    const change = { label: 'delete_task', call: call('c1', { sentence }) };
    const { panel, line, becomes } = await showing(card('c1', 'executing', change));
    await becomes(done(en.toolDone('Delete task'), change));
    await until(() => said(panel).length > 0, 'the end is not said');
    expect([line(), said(panel).length]).to.deep.equal([sentence, 1]);
    expect(said(panel)[0]).to.include(sentence).and.not.include(en.toolDone('Delete task'));
  });

  it('shows parameters past a hundred as one value, which unfolds', async () => {
    const params = Object.freeze(Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`key ${String(at)}`, at])));
    const { panel } = await showing({ ...served('executing'), params });
    const shown = await appears(panel, part('tool-card-arguments'));
    expect(shown.querySelectorAll('.row')).to.have.length(100);
    expect(words(shown)).to.include('key 98 = 98').and.include(en.moreParameters(39_901)).and.include('"key 39999": 39999');
    expect(shown.querySelectorAll('*').length).to.be.below(2_000);
    shown.querySelector<HTMLElement>('.fold button')?.click();
    await until(() => !shown.querySelector('[data-folded]'), 'it does not unfold');
  });

  /** A value, drawn by itself. */
  function draw(text: string): HTMLElement {
    const at = document.createElement('div');
    document.body.append(at);
    render(renderValue(text, { texts: en, open: true, toggle: () => {} }), at);
    return at;
  }

  it('draws a long value in pieces whose number and length grow with it: without a break, without a letter, of what nobody sees', () => {
    const most = (all: number[]) => Math.max(...all);
    for (const unit of ['x', '7, ', '\n  7,', 'a\u200b']) {
      const [short, long] = [40_000, 160_000].map((length) => {
        const at = draw(unit.repeat(length / unit.length));
        const nodes = [...at.querySelectorAll('*')];
        at.remove();
        return { nodes: nodes.length, longest: most(nodes.map((one) => (one.childElementCount === 0 ? one.textContent.length : 0))) };
      }) as [{ nodes: number; longest: number }, { nodes: number; longest: number }];
      expect(long.nodes, JSON.stringify(unit)).to.be.at.most(4 * short.nodes + 20);
      expect(long.longest, JSON.stringify(unit)).to.be.at.most(short.longest + 10);
    }
  });

  describe('makes no markup and hides nothing', () => {
    /** Turned direction, nothing to see, and markup. */
    const HOSTILE = 'Approved\u202E.gnp\u200B\u{E0041}<img src=x onerror="window.pwned=1"><b>bold</b> **bold** [x](javascript:pwned)';
    const SHOWN = 'ApprovedU+202E.gnpU+200BU+E0041<img src=x onerror="window.pwned=1"><b>bold</b> **bold** [x](javascript:pwned)';
    const asks = call('c1', { flags: ['service'], reason: HOSTILE, label: HOSTILE });
    const places: Record<string, CardView> = {
      'the name of a tool': { ...served('success', { message: 'ok' }), toolName: HOSTILE, label: HOSTILE },
      'the name of a tool that runs': { ...card('c1', 'executing'), toolName: HOSTILE },
      'arguments of the service': { ...served('executing'), params: { [HOSTILE]: 1, x: HOSTILE } },
      'a message': done(HOSTILE),
      'an error of the service': served('error', { message: en.toolFailed, result: HOSTILE }),
      'a near miss': { ...unread(HOSTILE, en.wrongNotation(HOSTILE)), raw: HOSTILE },
      data: served('success', { message: en.serviceDid, data: HOSTILE }),
      'a question of the service': card('c1', 'awaiting_approval', { call: asks }),
      'a refusal': card('c1', 'denied', { result: outcome('denied', { message: HOSTILE }) }),
    };
    for (const [where, hostile] of Object.entries(places))
      it(`in ${where}`, async () => {
        const { panel, shown, says } = await showing(hostile);
        for (const summary of findAll(panel, `${part('tool-card-result')} summary`)) summary.click();
        await says(SHOWN);
        const made = [...everything((find(panel, 'tool-chat-call') as Element).shadowRoot as ShadowRoot)];
        expect(made.filter((element) => element.matches('img, b, strong, a, script, iframe, [onerror]'))).to.deep.equal([]);
        expect(words(shown)).not.to.match(/[\u202E\u200B]/);
        expect('pwned' in window).to.equal(false);
      });
  });

  it('of a call that can be taken back offers that, alone and with what followed, and says how it goes', async () => {
    const ours = (change: Partial<CardView>): CardView => {
      const { service: _, ...rest } = served('success', { message: 'Added' });
      return { ...rest, ...change };
    };
    const { surface, panel, becomes } = await showing(ours({ undo: 'offered', undoBack: true }));
    const [undo, back] = (await Promise.all(['undo-button', 'undo-back-button'].map((name) => appears(panel, part(name))))) as [
      HTMLButtonElement,
      HTMLElement,
    ];
    expect([words(undo), words(back)]).to.deep.equal([en.undo, en.undoBack]);
    const about = surface.view.cards['c1']?.label ?? '';
    expect([undo.ariaLabel, back.ariaLabel]).to.deep.equal([en.actOn(en.undo, about), en.actOn(en.undoBack, about)]);
    await accessible(panel);
    undo.click();
    back.click();
    expect(surface.asked).to.deep.equal(['undo c1', 'undo c1 and what followed']);
    surface.setCard(ours({ undo: 'running', undoBack: true }));
    await until(() => undo.disabled && words(undo) === en.undoing && !find(panel, part('undo-back-button')), 'it does not run');
    for (const [state, says, again] of [
      ['failed', en.undoFailed, true],
      ['retry', en.undoUnsure, true],
      ['unsure', en.undoUnsure, false],
    ] as const) {
      surface.setCard(ours({ undo: state }));
      await until(() => words(find(panel, '.undo')).includes(says), `${state} is not said`);
      await until(() => (find(panel, part('undo-button')) !== undefined) === again, 'the button');
    }
    await becomes(ours({ status: 'undone' }));
    await until(() => !find(panel, '.undo') && said(panel).join().includes(en.undone), 'the end is not said');
    expect(find((await showing(ours({}))).panel, part('undo-button'))).to.equal(undefined);
  });
});

/** A call that needed nobody, and what it gave back. */
const looked = (
  id: string,
  data?: unknown,
  risk: Risk = 'query',
  status: CardStatus = 'success',
  by: Call['decidedBy'] = 'policy',
): CardView => ({
  ...card(id, status, { call: call(id, { risk, decidedBy: by!, sentence: `Look at ${id}`, status }) }),
  ...(['success', 'error'].includes(status) && {
    result: outcome(status as PublishedResult['status'], {
      requestId: id,
      message: 'ok',
      result: 'ok',
      ...(data !== undefined && { data }),
    }),
  }),
});
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, title: `Task ${String(id)}`, done: id % 2 === 0 }));

describe('calls that needed nobody', () => {
  const shown = (panel: Element) => findAll(panel, part('message-tool')).filter((place) => place.getBoundingClientRect().height > 0).length;

  it('fold to one line, which unfolds in place', async () => {
    const { panel } = await showing([looked('c1'), looked('c2'), looked('c3')]);
    const line = await appears<HTMLButtonElement>(panel, part('call-list'));
    await until(() => shown(panel) === 0, 'the lines still stand there');
    expect([words(line), line.ariaExpanded]).to.deep.equal([en.lookedAt(3), 'false']);
    line.focus();
    line.click();
    await until(() => shown(panel) === 3 && line.ariaExpanded === 'true', 'they do not unfold');
    expect(focused()).to.equal(line);
    line.click();
    await until(() => shown(panel) === 0, 'they do not fold again');
    const changed = await showing([looked('c1'), looked('c2', undefined, 'write'), looked('c3', undefined, 'danger')]);
    await frames(5);
    expect([shown(changed.panel), find(changed.panel, part('call-list'))], 'what changed something').to.deep.equal([3, undefined]);
  });

  it('fold the same when they come one by one; what runs, failed or is being read stays in view', async () => {
    const { surface, panel } = await showing([
      looked('c1'),
      looked('c2', undefined, 'query', 'executing'),
      looked('c3', undefined, 'query', 'executing'),
    ]);
    surface.setCard(looked('c2'));
    await until(() => shown(panel) === 1, 'two that are done do not fold');
    surface.setCard(looked('c3', undefined, 'query', 'error'));
    await appears(panel, '[data-status=error]');
    expect([shown(panel), words(find(panel, part('call-list')))]).to.deep.equal([1, en.lookedAt(2)]);
    const other = await showing([looked('c1'), looked('c2', undefined, 'query', 'executing')]);
    await unfold(other.panel);
    await until(() => find<HTMLDetailsElement>(other.panel, `${part('tool-card-result')} details`)?.open === true, 'it does not unfold');
    other.surface.setCard(looked('c2'));
    await appears(other.panel, part('call-list'));
    expect(shown(other.panel)).to.equal(2);
  });
});

describe('what a call gave back', () => {
  async function details(data: unknown, options: PanelOptions = {}) {
    const { panel } = await showing(looked('c1', data), options);
    await unfold(panel);
    return { panel, details: await appears(panel, part('call-details')) };
  }

  it('is a table when it is a list of objects, with a column for each key (S2-75)', async () => {
    const { details: table } = await details([...rows(49), { id: 49, constructor: 'x' }]);
    expect([...table.querySelectorAll('th')].map((head) => words(head))).to.deep.equal(['id', 'title', 'done', 'constructor']);
    expect(table.querySelector('table')?.getAttribute('aria-rowcount')).to.equal('51');
    expect(deepText(table)).to.include('Task 3').and.include(en.rowsShown(50)).and.not.include('function');
    const { details: cut } = await details({ items: rows(40), truncated: true, total: 5000 });
    expect([cut.querySelectorAll('th').length, cut.dataset['kind']]).to.deep.equal([3, 'table']);
    expect(deepText(cut)).to.include(en.firstRows(40, 5000));
    for (const whole of [{ items: rows(2) }, { items: [1, 2], truncated: true, total: 9 }])
      expect((await details(whole)).details.dataset['kind']).to.equal('tree');
  });

  it('stands open where a person allowed it, and a single thing does not (S2-75)', async () => {
    const run = (id: string, by: Call['decidedBy'], data?: unknown) => looked(id, data, 'query', data ? 'success' : 'executing', by);
    const { surface, panel } = await showing([run('c1', 'person'), run('c2', 'person'), run('c3', 'policy')]);
    surface.set({ cards: { c1: run('c1', 'person', rows(3)), c2: run('c2', 'person', rows(1)), c3: run('c3', 'policy', rows(3)) } });
    expect(deepText(await appears(panel, part('call-details')))).to.include('Task 2');
    await frames(2);
    expect(findAll(panel, part('call-details'))).to.have.length(1);
  });

  it('draws the rows in view of 50,000, without a hole wherever one scrolls; wide ones scroll in themselves (S2-75)', async () => {
    const wide = rows(50_000).map((row) => ({ ...row, note: 'A long remark about this task', place: 'Far away', owner: 'Somebody' }));
    const { panel, details: table } = await details(wide, { width: 364 });
    const scroller = table.querySelector<HTMLElement>('.frame') as HTMLElement;
    expect(scroller.scrollHeight).to.equal(50_001 * 30);
    expect(table.getBoundingClientRect().right).to.be.below(panel.getBoundingClientRect().right);
    expect(scroller.scrollWidth).to.be.above(scroller.clientWidth);
    expect(find(panel, '.messages')?.scrollWidth).to.equal(find(panel, '.messages')?.clientWidth);
    const drawn = () => [...table.querySelectorAll('.row-of-data')];
    for (const top of [0, 333, 45_001, 750_000, scroller.scrollHeight - scroller.clientHeight]) {
      scroller.scrollTop = top;
      await frames(2);
      const box = scroller.getBoundingClientRect();
      const edges = drawn().map((row) => row.getBoundingClientRect());
      expect(edges.length).to.be.below(60);
      expect(edges[0]?.top, `at ${String(top)}`).to.be.at.most(box.top + 31);
      expect(edges.at(-1)?.bottom, `at ${String(top)}`).to.be.at.least(box.bottom - 18);
    }
    await until(() => deepText(table).includes('Task 49999'), 'the last row does not come');
    await frames(10);
    expect(scroller.scrollTop + scroller.clientHeight, 'it scrolls back').to.be.at.least(scroller.scrollHeight - 1);
    expect(deepText(drawn().at(-1) as Element)).to.include('Task 49999');
  });

  it('is a tree when it is nested, drawn as it unfolds (S2-75)', async () => {
    const data = { hits: 3, page: { size: { of: 'twenty' } }, list: Array.from({ length: 5_000 }, (_, at) => at), none: [] };
    const { details: tree } = await details(data);
    expect(deepText(tree)).to.include('hits').and.not.include('twenty');
    const branch = (name: string) => [...tree.querySelectorAll('summary')].find((one) => deepText(one).includes(name));
    const items = () => tree.querySelectorAll('li').length;
    branch('page')?.click();
    await until(() => branch('size') !== undefined, 'a branch does not unfold');
    branch('size')?.click();
    await until(() => deepText(tree).includes('twenty'), 'a branch in a branch does not unfold');
    branch('list')?.click();
    await until(() => items() > 100, 'a long list does not unfold');
    expect(items()).to.be.below(120);
    [...tree.querySelectorAll('button')].find((one) => words(one) === en.moreEntries(100))?.click();
    await until(() => items() > 200, 'there is no more of it');
  });

  it('copies all of it as it came (S2-76)', async () => {
    const { details: table } = await details(rows(300));
    const copied: string[] = [];
    const { writeText } = navigator.clipboard;
    navigator.clipboard.writeText = (text) => Promise.resolve(void copied.push(text));
    const button = table.querySelector<HTMLElement>(part('copy-button'));
    button?.click();
    await until(() => button?.ariaLabel === en.copied, 'it does not say so');
    navigator.clipboard.writeText = writeText;
    expect(copied.map((text) => JSON.parse(text) as unknown)).to.deep.equal([rows(300)]);
  });

  it('is text when it is one, with everything hidden shown, and says when there is nothing', async () => {
    expect(deepText((await details('a\u202Eb<b>c</b>')).details))
      .to.include('U+202E')
      .and.include('<b>c</b>');
    expect(deepText((await details([])).details)).to.include(en.noResults);
  });

  it('is drawn by its tool where that can: with the call as it came out, frozen, once; or else as all are, which is logged', async () => {
    const given: Call[] = [];
    const codes: string[] = [];
    const drawing = async (draw: (drawn: Call) => unknown) => {
      const execute = () => ({ success: true, message: 'Drawn', data: [3, 1, 2] });
      const { chat, model } = await chatWith([tool('chart', { risk: 'query', render: draw, execute })]);
      chat.addEventListener('tool-chat-log', ({ entry }) => codes.push(entry.code));
      await model.turn('Draw', written('chart', { title: 'x' }), 'Here it is.');
      await appears(chat, '[data-tool=chart][data-status=success]');
      return chat;
    };
    const chat = await drawing((drawn) => {
      given.push(drawn);
      const textContent = `${String(drawn.result?.data)} for ${String((drawn.args as { title: string }).title)}`;
      return Object.assign(document.createElement('b'), { id: 'own', textContent });
    });
    expect(words(await appears(chat, '#own'))).to.equal('3,1,2 for x');
    expect(given).to.have.lengthOf(1);
    expect(given[0]).to.include({ toolName: 'chart', status: 'success' });
    expect(() => ((given[0] as { status: string }).status = 'error')).to.throw(TypeError);
    const failing = await drawing(() => {
      throw new Error('no canvas');
    });
    await until(() => codes.includes('render.failed'), 'it is not logged');
    expect(codes.filter((code) => code === 'render.failed')).to.have.lengthOf(1);
    for (const one of [failing, await drawing(() => '<b>text</b>')]) expect(find(one, '.own')).to.equal(undefined);
  });
});
