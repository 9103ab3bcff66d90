import { expect } from '@open-wc/testing';
import { resetMouse, sendKeys, sendMouse } from '@web/test-runner-commands';
import type { Call } from '../../src/model/calls.js';
import { framedByStranger } from '../../src/elements/arming.js';
import { en } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { assistant, call, card, FakeSurface } from './fake-surface.js';
import {
  appears,
  armed,
  cannotHoldKeys,
  click,
  clickInView,
  deepText,
  find,
  frame,
  findAll,
  isArmed,
  middle,
  part,
  readThrough,
  stage,
  until,
  waiting,
} from './helpers.js';

const approve = part('approve-button');
const deny = part('deny-button');

describe('approval', () => {
  afterEach(() => resetMouse());

  describe('at the right moment', () => {
    it('H117 ignores clicks in the first half second, and does not keep them', async () => {
      const { panel, decided } = await stage(waiting());
      const button = await appears(panel, approve);
      expect(button.getAttribute('aria-disabled')).to.equal('true');
      const begin = performance.now();
      await click(button);
      await until(() => isArmed(button), 'the button does not arm');
      expect(performance.now() - begin).to.be.above(300);
      expect(decided).to.deep.equal([]);
      await click(button);
      expect(decided).to.have.length(1);
    });

    it('H117 ignores a press that began before the buttons were ready', async () => {
      const { panel, decided } = await stage(waiting());
      const button = await appears(panel, approve);
      await sendMouse({ type: 'move', position: middle(button) });
      await sendMouse({ type: 'down' });
      const early = !isArmed(button);
      await until(() => isArmed(button), 'the button does not arm');
      await sendMouse({ type: 'up' });
      expect(early).to.equal(true);
      expect(decided).to.deep.equal([]);
    });

    it('H117 waits again after the card has moved', async () => {
      const { panel, decided } = await stage(waiting());
      const button = await armed(panel, approve);
      panel.style.marginTop = '30px';
      await click(button);
      expect(decided).to.deep.equal([]);
      await until(() => isArmed(button), 'the button does not arm again');
      await click(button);
      expect(decided).to.have.length(1);
    });

    it('decides once', async () => {
      const { panel, decided } = await stage(waiting());
      const button = await armed(panel, approve);
      await click(button);
      await click(button);
      expect(decided).to.have.length(1);
    });

    it('H119 drops its readiness when another call takes the place of the shown one', async () => {
      const surface = waiting();
      const { panel, decided } = await stage(surface);
      const button = await armed(panel, approve);
      surface.setCard(card('c1', 'awaiting_approval', { call: call('c1', { args: { task_id: 'all' }, digest: 'another' }) }));
      await click(button);
      expect(decided).to.deep.equal([]);
    });
  });

  describe('by keyboard', () => {
    it('H122 leads to "deny" first, and to neither by itself', async () => {
      const { panel, decided } = await stage(waiting());
      await armed(panel, approve);
      expect(
        findAll(panel, 'button')
          .filter((button) => button.matches(`${approve}, ${deny}`))
          .map((button) => button.part.value),
      ).to.deep.equal(['deny-button', 'approve-button']);
      find(panel, '#heading')?.focus();
      await sendKeys({ press: 'Enter' });
      await sendKeys({ press: 'Tab' });
      expect(deepActive()?.part.value).to.equal('deny-button');
      await sendKeys({ press: 'Tab' });
      expect(deepActive()?.part.value).to.equal('approve-button');
      await sendKeys({ press: 'Escape' });
      expect(decided).to.deep.equal([]);
      await sendKeys({ press: 'Enter' });
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
    });

    it('denies by the space bar', async () => {
      const { panel, decided } = await stage(waiting());
      (await armed(panel, deny)).focus();
      await sendKeys({ press: ' ' });
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny']);
    });

    it('H122 ignores a key that has been held since before', async function () {
      if (cannotHoldKeys) this.skip(); // no such command for WebKit, see helpers.ts
      const { panel, decided } = await stage(waiting());
      const button = await armed(panel, approve);
      find<HTMLTextAreaElement>(panel, 'textarea')?.focus();
      await sendKeys({ down: 'Enter' });
      button.focus();
      await sendKeys({ down: 'Enter' }); // a repetition, as the browser sends it
      await sendKeys({ up: 'Enter' });
      expect(decided).to.deep.equal([]);
    });
  });

  describe('shows all there is to know', () => {
    it('says in the words of the seed what would happen (S0-131)', async () => {
      const { panel } = await stage(waiting({ sentence: '删除任务「周报」' }), { texts: zhCN, lang: 'zh-CN' });
      const text = deepText(await appears(panel, part('approval')));
      for (const words of ['AI想要执行以下操作：', '🗑️ 删除任务', '删除任务「周报」', '参数：', 'task_id = task_7', '是否允许？', '不执行'])
        expect(text).to.include(words);
    });

    for (const risk of ['query', 'write', 'danger', 'undeclared'] as const)
      it(`names the risk ${risk} by a word and an icon`, async () => {
        const { panel } = await stage(waiting({ risk }));
        const shown = await appears(panel, '.risk');
        expect(deepText(shown)).to.include(
          { query: en.riskQuery, write: en.riskWrite, danger: en.riskDanger, undeclared: en.riskUndeclared }[risk],
        );
        expect(shown.querySelector('svg')).to.exist;
      });

    it('H115 marks characters that nobody would see', async () => {
      const { panel } = await stage(waiting({ args: { file: 'report\u202Efdp.exe\u200B' } }));
      const text = deepText(await appears(panel, part('tool-card-arguments')));
      expect(text).to.include('reportU+202Efdp.exeU+200B').and.to.include(en.hiddenCharacters(2));
    });

    it('H115 keeps "allow" shut until a long value has been read to its end', async () => {
      const note = `${'harmless\n'.repeat(200)}delete everything`;
      const { panel, decided } = await stage(waiting({ args: { note } }));
      await armed(panel, deny);
      const button = find(panel, approve) as HTMLElement;
      const facts = () => deepText(find(panel, part('approval')) as Element);
      expect(facts()).to.include(en.scrollToDecide).and.to.include(en.moreLines(193)).and.to.include('delete everything');
      await click(button);
      expect(decided).to.deep.equal([]);

      await clickInView(find(panel, '.fold button') as Element);
      const scroller = find(panel, '.facts') as HTMLElement;
      await until(() => scroller.scrollHeight > 2 * scroller.clientHeight, 'it does not unfold');
      scroller.scrollTop = scroller.scrollHeight;
      await until(() => isArmed(button), 'the button does not arm at the end');
      await click(button);
      expect(decided).to.have.length(1);
    });

    it('keeps it shut, too, until parameters past a hundred have been unfolded and read', async () => {
      const args = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key ${String(at)}`, at]));
      const { panel, decided } = await stage(waiting({ args }));
      await armed(panel, deny);
      const shown = find(panel, part('tool-card-arguments')) as HTMLElement;
      expect(shown.querySelectorAll('.row')).to.have.length(100);
      expect(deepText(shown)).to.include(en.moreParameters(4_901)).and.to.include('"key 4999": 4999');
      const button = find(panel, approve) as HTMLElement;
      const scroller = find(panel, part('messages')) as HTMLElement;
      scroller.scrollTop = scroller.scrollHeight;
      await click(button);
      expect([isArmed(button), decided.length]).to.deep.equal([false, 0]);
    });

    it('H115 counts blanks that would push something out of sight', async () => {
      const { panel } = await stage(waiting({ args: { command: `ls${' '.repeat(5000)}; rm -rf /` } }));
      expect(deepText(await appears(panel, part('tool-card-arguments')))).to.include('ls␣×5000; rm -rf /');
      await armed(panel, approve);
    });

    it('H115 shows what markup there is as text', async () => {
      const { panel } = await stage(waiting({ args: { html: '<img src=x onerror=alert(1)> **bold**' } }));
      const shown = await appears(panel, part('tool-card-arguments'));
      expect(deepText(shown)).to.include('<img src=x onerror=alert(1)> **bold**');
      expect(shown.querySelector('img, strong')).to.equal(null);
    });

    it('shows before and after', async () => {
      const preview = [
        { label: 'Title', before: 'Old', after: 'New' },
        { label: 'Due', after: 'Monday' },
      ];
      const { panel } = await stage(waiting({ preview }));
      const text = deepText(await appears(panel, '.preview')).replace(/\s+/g, ' ');
      expect(text).to.match(/Title.*Before: Old.*After: New.*Due.*New: Monday/);
    });
  });

  describe('is one sentence', () => {
    const sentence = 'Delete the task “Call the dentist”';
    const verbs = { allow: 'Delete task', deny: 'Keep it' };

    it('of which the object stands out, with a consequence and two verbs, at most 220 px high on a phone', async () => {
      const surface = waiting({ sentence, verbs });
      surface.setCard({ ...surface.view.cards['c1']!, offers: ['always'], edit: { schema: {}, sensitive: false, answered: 0 } });
      const { panel } = await stage(surface, { width: 364 });
      await armed(panel, approve);
      expect(deepText(find(panel, '.sentence') as Element).trim()).to.equal(sentence);
      expect(deepText(find(panel, '.object') as Element)).to.equal('Call the dentist');
      expect([deny, approve].map((name) => find(panel, name)?.textContent.trim())).to.deep.equal(['Keep it', 'Delete task']);
      const box = (find(panel, part('tool-card')) as Element).getBoundingClientRect();
      expect(box.height).to.be.at.most(220);
      const log = (find(panel, part('messages')) as Element).getBoundingClientRect();
      expect([box.top >= log.top, box.bottom <= log.bottom], 'all of it is in view').to.deep.equal([true, true]);
    });

    it('says an id by the name of what it stands for, and keeps it under its details', async () => {
      const { panel } = await stage(waiting({ sentence }));
      await armed(panel, approve);
      const details = find<HTMLDetailsElement>(panel, '.details') as HTMLDetailsElement;
      expect([details.open, deepText(details).includes('task_id = task_7')]).to.deep.equal([false, true]);
      await click(details.querySelector('summary') as Element);
      await until(() => details.open && isArmed(find(panel, approve)), 'it does not unfold, or allows nothing any more');
    });

    it('calls an argument what the schema calls it for people, and by its own name under the details', async () => {
      const args = { due_date: '2026-12-01', note: 'soon' };
      const { panel } = await stage(waiting({ args, labels: { due_date: 'Due on' } }));
      await armed(panel, approve);
      const shown = deepText(find(panel, `.facts ${part('tool-card-arguments')}`) as Element);
      expect(shown).to.include('Due on = 2026-12-01');
      expect(shown).to.include('note = soon');
      expect(shown).to.not.include('due_date');
    });

    const ids = ['t-1', 't-2', 't-3'];
    const each = ['Call the dentist', 'Water the plants', 'Pay the rent'].map((label) => ({ label, before: 'open', after: 'done' }));
    const many = { sentence: 'Mark 3 tasks as done', args: { task_ids: ids }, preview: each };

    it('keeps ids in a list under its details where each is named by what it stands for', async () => {
      const { panel } = await stage(waiting(many));
      await appears(panel, approve);
      expect(deepText(find(panel, '.facts') as Element)).to.include('Water the plants');
      expect(deepText(find(panel, '.facts') as Element)).to.not.include('t-2');
      expect(deepText(find(panel, '.details') as Element))
        .to.include('task_ids')
        .and.include('t-2');
    });

    it('names each of several things that would be gone', async () => {
      const gone = each.map(({ label }) => ({ label, before: 'open' }));
      const { panel } = await stage(waiting({ ...many, sentence: 'Delete 3 tasks', preview: gone }));
      await appears(panel, approve);
      for (const { label } of gone) expect(deepText(find(panel, '.facts') as Element)).to.include(label);
      expect(deepText(find(panel, '.facts') as Element)).to.not.include('t-2');
    });

    for (const [what, change] of [
      ['one is not named', { preview: each.slice(1) }],
      ['they are named by themselves', { preview: ids.map((label) => ({ label, after: 'done' })) }],
      ['the sentence does not say how many they are', { sentence: 'Mark 13 tasks as done' }],
      ['one stands for all', { args: { task_ids: ['t-1', 't-2', 'all'] } }],
    ] as const)
      it(`shows ids in a list in view where ${what}`, async () => {
        const { panel } = await stage(waiting({ ...many, ...(change as Partial<Call>) }));
        await appears(panel, approve);
        expect(deepText(find(panel, '.facts') as Element)).to.include('task_ids = ');
      });

    for (const [what, change] of [
      ['it does not say', { sentence, args: { task_id: 't-1', force: true } }],
      ['is not what it says, but like it', { sentence: 'Pay 250 to “Ada”', args: { amount: 25 } }],
      ['names everything', { sentence, args: { task_id: 'all' } }],
      ['only seems to be what it says', { sentence: 'Delete “report.pdf”', args: { file: 'report.pdf\u200B' } }],
      ['has a name of its own making', { sentence: 'Pay “Ada”', args: { memo: 'Ada', account_id: 'x-1' } }],
      ['is one of two', { sentence, args: { task_id: 't-1', list_id: 'l-1' } }],
      ['was written in an unusual way', { sentence, flags: ['suspicious'] }],
      ['could not be described', { sentence, describeFailed: true }],
      ['has no sentence', {}],
    ] as const)
      it(`shows an argument in view that ${what}`, async () => {
        const { panel } = await stage(waiting(change as Partial<Call>));
        await armed(panel, approve);
        const names = Object.keys((change as { args?: object }).args ?? { task_id: 1 });
        const shown = deepText(find(panel, `.facts ${part('tool-card-arguments')}`) as Element);
        const unsaid = names.filter((name) => name !== 'memo' && !(what === 'it does not say' && name === 'task_id'));
        for (const name of unsaid) expect(shown).to.include(`${name} = `);
      });

    it('asks with its label where the tool gives no verbs, and never in the words of a service', async () => {
      const ours = await stage(waiting({ label: 'Delete task' }));
      await armed(ours.panel, approve);
      expect([deny, approve].map((name) => find(ours.panel, name)?.textContent.trim())).to.deep.equal([en.dont, 'Delete task']);
      const served = await stage(waiting({ label: 'Keep everything as it is', flags: ['service'] }));
      await armed(served.panel, approve);
      expect([deny, approve].map((name) => find(served.panel, name)?.textContent.trim())).to.deep.equal([en.deny, en.allow]);
    });

    it('shows what becomes something else, and folds what only goes', async () => {
      const preview = [
        { label: 'Title', before: 'Call the dentist' },
        { label: 'State', before: 'open', after: 'done' },
      ];
      const { panel } = await stage(waiting({ sentence, preview }));
      await armed(panel, approve);
      expect(deepText(find(panel, '.facts') as Element))
        .to.include('State')
        .and.include('done')
        .and.not.include('Title');
      expect(deepText(find(panel, '.details') as Element)).to.include('Title');
    });
  });

  describe('of a call that was only shown', () => {
    const shown = () => waiting({ flags: ['quoted'], reason: en.reasonQuoted });

    it('asks whether to run it, in words of its own', async () => {
      const { panel, decided } = await stage(shown());
      await armed(panel, approve);
      const text = deepText(find(panel, part('approval')) as Element);
      expect(text).to.include(en.runThis).and.include('task_id = task_7').and.not.include(en.wantsTo).and.not.include(en.allowThis);
      expect(text.split(en.reasonQuoted), 'said once').to.have.length(2);
      expect([approve, deny].map((name) => find(panel, name)?.textContent.trim())).to.deep.equal([en.run, en.skip]);
      await click(find(panel, approve) as Element);
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['allow']);
    });

    it('is reached and turned down by keyboard', async () => {
      const { panel, decided } = await stage(shown());
      await armed(panel, approve);
      find(panel, '#heading')?.focus();
      await sendKeys({ press: 'Tab' });
      expect(deepActive()?.part.value).to.equal('deny-button');
      await sendKeys({ press: 'Enter' });
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(['deny']);
    });

    it('is announced once', async () => {
      const surface = new FakeSurface({ views: [assistant('a1', ['Like this:', { call: 'c1' }])] });
      const { panel } = await stage(surface);
      (document.activeElement as HTMLElement | null)?.blur();
      const { call: asked } = shown().view.cards['c1']!;
      for (let time = 0; time < 3; time += 1) {
        surface.setCard(card('c1', 'awaiting_approval', { call: asked! }));
        await panel.updateComplete;
      }
      await armed(panel, approve);
      const said = findAll(panel, '.said > div').map(({ textContent }) => textContent);
      expect(said).to.have.length(1);
      expect(said[0]).to.include('删除任务').and.include('task_id = task_7');
    });
  });

  describe('of a service', () => {
    it("gives the service's reason as the service's, and has it read to its end", async () => {
      const reason = `It costs money. ${'Really. '.repeat(200)}`;
      const { panel, decided } = await stage(waiting({ flags: ['service'], reason, risk: 'undeclared' }), { height: 700 });
      await armed(panel, deny);
      expect(deepText(find(panel, '.reason') as Element)).to.include(`${en.serviceSays} It costs money.`);
      const button = find(panel, approve) as HTMLElement;
      expect(isArmed(button)).to.equal(false);
      await clickInView(find(panel, '.reason .fold button') as Element);
      await until(() => !find(panel, '.reason [data-folded]'), 'it does not unfold');
      await readThrough(panel, button);
      expect(decided).to.deep.equal([]);
    });

    it('has our own words where the service gives none', async () => {
      const { panel } = await stage(waiting({ flags: ['service'], reason: en.reasonService }));
      const text = deepText(await appears(panel, '.reason'));
      expect(text).to.equal(en.reasonService);
      await armed(panel, approve);
    });
  });

  describe('only where it can be fair', () => {
    for (const [how, style] of [
      ['made transparent', '::part(approval) { opacity: 0.01 }'],
      ['without its arguments', '::part(tool-card-arguments) { display: none }'],
    ] as const)
      it(`does not ask when the page's styles show it ${how}, and says so`, async () => {
        const told: (string | null)[] = [];
        const { panel, decided } = await stage(waiting(), { conditions: { onCannotAsk: (_id, why) => told.push(why) } });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(style);
        document.adoptedStyleSheets.push(sheet);
        try {
          await appears(panel, approve);
          await until(() => told.length > 0, 'nobody is told');
          expect(told).to.deep.equal(['hidden']);
          await click(find(panel, approve) as Element);
          expect(decided).to.deep.equal([]);
          expect(deepText(find(panel, part('approval')) as Element)).to.include(en.cannotAskHidden);
        } finally {
          document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
        }
        await until(() => isArmed(find(panel, approve)), 'the button does not arm when it is visible again');
        expect(told).to.deep.equal(['hidden', null]);
      });

    it('refuses in a frame of another origin, unless that one may frame it', async () => {
      expect(framedByStranger()).to.equal(false);
      const frame = document.createElement('iframe');
      frame.sandbox.add('allow-scripts'); // an origin of its own
      const answer = new Promise<unknown>((resolve) => {
        window.addEventListener('message', ({ source, data }) => source === frame.contentWindow && resolve(data), { once: true });
      });
      const allowed = JSON.stringify([location.origin]);
      frame.srcdoc = `<script>parent.postMessage([(${String(framedByStranger)})(), (${String(framedByStranger)})(${allowed})], '*')</script>`;
      document.body.append(frame);
      // An opaque frame may not know who frames it (Firefox): then it refuses.
      const knowsParent = 'ancestorOrigins' in location;
      expect(await answer).to.deep.equal([true, !knowsParent]);
      frame.remove();
    });

    it('waits while the card is scrolled away', async () => {
      const { panel } = await stage(waiting(), { height: 560 });
      const button = await armed(panel, approve);
      const scroller = find(panel, part('messages')) as HTMLElement;
      const filler = document.createElement('div');
      filler.style.height = '2000px';
      scroller.append(filler);
      scroller.scrollTop = 2000;
      await until(() => !isArmed(button), 'the button stays armed out of sight');
    });
  });

  describe('for many at once', () => {
    const many = (count: number, name = 'c') => {
      const ids = Array.from({ length: count }, (_, at) => `${name}${String(at)}`);
      return new FakeSurface({
        isLoading: true,
        activities: ['awaitingApproval'],
        views: [
          assistant(
            'a1',
            ids.map((id) => ({ call: id })),
          ),
        ],
        cards: Object.fromEntries(ids.map((id) => [id, card(id, 'awaiting_approval')])),
      });
    };

    it('H122 is one list from the second on: a row a call, and one bar (S2-84)', async () => {
      const one = await stage(many(1));
      await armed(one.panel, approve);
      expect(find(one.panel, 'tool-chat-batch')).to.equal(undefined);
      const { panel } = await stage(many(3));
      await armed(panel, part('deny-all-button'));
      expect(findAll(panel, '.sentence')).to.have.length(3);
      expect(findAll(panel, `${approve}, ${deny}`).filter((button) => button.checkVisibility())).to.deep.equal([]);
      expect([part('deny-all-button'), part('approve-all-button')].map((name) => find(panel, name)?.textContent.trim())).to.deep.equal([
        en.allowNone,
        en.allowCount(3),
      ]);
      await expect(panel).to.be.accessible();
    });

    it('does not say that the page hides a question whose row has folded what an answer may hold for', async () => {
      const surface = many(2, 'held');
      const offers = ['Every call of this tool'];
      const cards = Object.entries(surface.view.cards).map(([id, one]) => [id, { ...one, offers }]);
      surface.set({ cards: Object.fromEntries(cards) as typeof surface.view.cards });
      const { panel } = await stage(surface);
      await armed(panel, part('approve-all-button'));
      // It is said after a second.
      for (const end = performance.now() + 1400; performance.now() < end; await frame())
        expect(deepText(panel)).to.not.include(en.cannotAskHidden);
    });

    it('lets a row be decided by itself, with its own details and reading rules', async () => {
      const { panel, decided } = await stage(many(3));
      await armed(panel, part('deny-all-button'));
      await clickInView(findAll(panel, '.unfold')[1] as Element);
      const own = findAll(panel, approve)[1] as HTMLElement;
      own.scrollIntoView({ block: 'center', behavior: 'instant' });
      let still = 0;
      await until(() => (still = isArmed(own) ? still + 1 : 0) > 20, 'it does not arm');
      await click(own);
      expect(decided.map(({ requestId, verdict }) => `${requestId} ${verdict}`)).to.deep.equal(['c1 allow']);
    });

    it('allows only the rows that are ticked, and leaves the others waiting', async () => {
      const { panel, decided } = await stage(many(3, 'ticked'));
      const all = await armed(panel, part('approve-all-button'));
      const tick = findAll(panel, '.tick')[1] as HTMLElement;
      await clickInView(tick);
      await until(() => tick.getAttribute('aria-checked') === 'false', 'the tick stays');
      expect(all.textContent.trim()).to.equal(en.allowCount(2));
      await until(() => isArmed(all), 'it does not stand still anew');
      await click(all);
      expect(decided.map(({ requestId, verdict }) => `${requestId} ${verdict}`)).to.deep.equal(['ticked0 allow', 'ticked2 allow']);
    });

    it('is not ticked by a script, nor by a press that began elsewhere', async () => {
      const { panel } = await stage(many(2, 'pressed'));
      await armed(panel, part('approve-all-button'));
      const tick = findAll(panel, '.tick')[0] as HTMLElement;
      const label = Object.assign(document.createElement('button'), { textContent: 'elsewhere' });
      tick.click();
      for (const type of ['pointerdown', 'mousedown', 'click'])
        tick.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true }));
      document.body.append(label);
      await sendMouse({ type: 'move', position: [470, 20] });
      await sendMouse({ type: 'down' });
      await sendMouse({ type: 'move', position: middle(tick) });
      await sendMouse({ type: 'up' });
      label.remove();
      expect(tick.getAttribute('aria-checked')).to.equal('true');
      tick.focus();
      await sendKeys({ press: ' ' });
      await until(() => tick.getAttribute('aria-checked') === 'false', 'a key does not change it');
    });

    it('is no list where a word confirms', async () => {
      const surface = many(2);
      surface.setCard({ ...surface.view.cards['c0']!, confirm: 'both' });
      const { panel } = await stage(surface);
      await armed(panel, approve);
      expect(find(panel, 'tool-chat-batch')).to.equal(undefined);
    });

    it('denies all by one real click', async () => {
      const { panel, decided } = await stage(many(5));
      await click(await armed(panel, part('deny-all-button')));
      expect(decided.map(({ requestId, verdict }) => `${requestId} ${verdict}`)).to.deep.equal([
        'c0 deny',
        'c1 deny',
        'c2 deny',
        'c3 deny',
        'c4 deny',
      ]);
    });

    it('allows all only when each has been seen', async () => {
      const { panel, decided } = await stage(many(9), { height: 500 });
      await armed(panel, part('deny-all-button'));
      const all = find(panel, part('approve-all-button')) as HTMLElement;
      expect(isArmed(all)).to.equal(false);
      await readThrough(panel, all);
      await click(all);
      expect(decided.map(({ verdict }) => verdict)).to.deep.equal(Array.from({ length: 9 }, () => 'allow'));
    });
  });

  describe('gets attention without taking it', () => {
    const idle = () => new FakeSurface({ isLoading: true, activities: ['streaming'], views: [assistant('a1', ['Wait', { call: 'c1' }])] });

    it('H123 moves the focus to its heading when the person is here and writes nothing', async () => {
      const surface = idle();
      const { panel } = await stage(surface);
      panel.focus();
      surface.setCard(card('c1', 'awaiting_approval'));
      await until(() => deepActive()?.id === 'heading', 'the heading has no focus');
    });

    for (const [who, prepare] of [
      ['the person is writing', (panel: HTMLElement) => write(panel, 'half a sentence')],
      ['the person is elsewhere on the page', () => (document.activeElement as HTMLElement | null)?.blur()],
    ] as const)
      it(`is only announced when ${who}`, async () => {
        const surface = idle();
        const { panel } = await stage(surface);
        prepare(panel);
        const before = deepActive();
        surface.setCard(card('c1', 'awaiting_approval'));
        await until(() => deepText(find(panel, '.said') as Element).includes(en.saidAsks('删除任务')), 'nothing is announced');
        expect(deepText(find(panel, '.said') as Element))
          .to.include('task_id = task_7')
          .and.to.include(en.riskDanger);
        expect(deepActive()).to.equal(before);
      });

    it('gives the focus to the next question, then to the text field', async () => {
      const surface = new FakeSurface({
        isLoading: true,
        activities: ['awaitingApproval'],
        views: [assistant('a1', [{ call: 'c1' }, { call: 'c2' }])],
        cards: { c1: card('c1', 'awaiting_approval'), c2: card('c2', 'awaiting_approval') },
      });
      const { panel } = await stage(surface, { height: 800 });
      await appears(panel, '.unfold');
      for (const unfold of findAll(panel, '.unfold')) await clickInView(unfold);
      await armed(panel, deny);
      const [first, second] = findAll(panel, deny);
      await click(first as Element);
      expect(deepActive()?.id).to.equal('heading');
      surface.setCard(card('c1', 'denied'));
      await until(() => !isArmed(second), 'the second does not notice that it has moved');
      await until(() => isArmed(second), 'the second does not arm');
      await click(second as Element);
      expect(deepActive()?.localName).to.equal('textarea');
    });
  });
});

function write(panel: HTMLElement, text: string) {
  const field = find<HTMLTextAreaElement>(panel, 'textarea') as HTMLTextAreaElement;
  field.focus();
  field.value = text;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

function deepActive(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}
