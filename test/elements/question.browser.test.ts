/** What a question shows of a call: in one sentence, with every value as it is, and no higher than a phone allows. */
import { expect } from '@open-wc/testing';
import type { Call } from '../../src/model/calls.js';
import { en, fullEnglish } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { armed, click, isArmed, pretend, written } from './doing.js';
import { several, stage, waiting, type PanelOptions } from './helpers.js';
import { appears, atRest, deepText, find, findAll, frames, isWithin, part, said, until, words } from './looking.js';
import named from '../fixtures/elements/buttons.json' with { type: 'json' };

const approve = part('approve-button');
const deny = part('deny-button');

async function shown(change: Partial<Call>, options: PanelOptions = {}) {
  const on = await stage(waiting(change), options);
  const question = await appears(on.panel, part('approval'));
  await appears(on.panel, approve);
  const text = (selector: string) => deepText(find(on.panel, selector) ?? document.createTextNode(''));
  const verbs = () => [deny, approve].map((name) => words(find(on.panel, name)));
  return { ...on, question, text, verbs, args: () => text(`.facts ${part('tool-card-arguments')}`) };
}

describe('a question shows', () => {
  before(() => fullEnglish());

  it('in the words of the seed what would happen (S0-131)', async () => {
    const { question } = await shown(
      { sentence: '删除任务「周报」', stated: { args: ['task_id'], changes: [] } },
      { texts: zhCN, lang: 'zh-CN' },
    );
    for (const said of ['AI想要执行以下操作：', '🗑️ 删除任务', '删除任务「周报」', '参数：', 'task_id = task_7', '是否允许？', '不执行'])
      expect(deepText(question)).to.include(said);
  });

  for (const [risk, name] of [
    ['query', en.riskQuery],
    ['write', en.riskWrite],
    ['danger', en.riskDanger],
    ['undeclared', en.riskUndeclared],
  ] as const)
    it(`the risk ${risk} by a word and an icon, and is a dialog for a screen reader where it could do harm (H123)`, async () => {
      const { panel, question } = await shown({ risk });
      const sign = find(panel, '.risk') as HTMLElement;
      expect(deepText(sign)).to.include(name);
      expect(sign.querySelector('svg')).to.exist;
      const kind = risk === 'danger' ? 'dialog' : 'group';
      expect([question.role, question.getAttribute('aria-labelledby')]).to.deep.equal([kind, 'heading']);
    });

  const texts = ['en', 'zh-CN', 'de', 'fr', 'es', 'ja', 'ar'];
  /** The tool of the question, what stands on the buttons, and what they are called besides. */
  const buttons = named as [what: string, change: Partial<Call>, about: string][];
  for (const lang of texts)
    it(`who presses a button what it is about, in its name, which begins with what is seen (${lang})`, async () => {
      const own = await loadTexts(lang);
      for (const [what, change, about] of buttons) {
        const { panel, question } = await shown({ ...change, flags: [] }, { texts: own, lang });
        const all = [...question.querySelectorAll<HTMLElement>('button:not([hidden], .checkbox, [role=radio]), summary')];
        for (const button of all.filter((one) => one.checkVisibility() && !one.closest('.value, .fold'))) {
          const name = button.ariaLabel ?? '';
          expect(name.startsWith(words(button)), `${what}: ${name} begins with ${words(button)}`).to.equal(true);
          expect(name, what).to.include(about);
          expect(name.length, what).to.be.lessThan(260);
        }
        expect(new Set([deny, approve].map((one) => find(panel, one)?.ariaLabel)).size, what).to.equal(2);
        if (change.verbs || what !== 'a label') continue;
        expect(find(panel, approve)?.ariaLabel, 'not twice').to.equal(about);
        expect(find(panel, deny)?.ariaLabel).to.equal(own.actOn(own.dont, about));
      }
    });

  it('whose tool it is, as a fact that is read before “allow” opens, said and announced; of the page’s own nothing', async () => {
    const toolHost = 'mcp.example:8443';
    const { panel, question } = await shown({ label: 'Send PIN', toolHost });
    const host = find(question, '.host') as HTMLElement;
    expect([words(host), host.hasAttribute('data-fact'), host.querySelectorAll('.mark').length]).to.deep.equal([
      `${en.toolFrom} ${toolHost}`,
      true,
      1,
    ]);
    const exact = host.querySelector('bdi');
    expect([exact?.textContent, exact?.translate]).to.deep.equal([toolHost, false]);
    expect(question.getAttribute('aria-describedby')).to.equal('risk host');
    await until(() => said(panel).some((one) => one?.includes(`Send PIN (${toolHost})`)), 'it is not announced');
    expect(find((await shown({ label: 'Send PIN' })).question, '.host')).to.equal(undefined);
  });

  it('two tools that are called alike by different words, on the card and as rows of a list, whatever they are called', async () => {
    const hosts = ['a.example', 'b.example', ''];
    const surface = several(3);
    const { panel } = await stage(surface);
    await until(() => findAll(panel, '.checkbox').length === 3, 'the rows');
    const all = await appears(panel, part('approve-all-button'));
    for (const label of ['Send', 'a.example', ' ', '(b.example)\u202e', '<b>x</b>', '🔎'.repeat(20)]) {
      for (const [at, toolHost] of hosts.entries()) {
        const card = surface.view.cards[`c${String(at + 1)}`]!;
        surface.setCard({ ...card, call: { ...card.call!, label, ...(toolHost && { toolHost }) } });
      }
      await frames(2);
      const rows = findAll(panel, part('approval'));
      expect(new Set(rows.map((row) => words(row))).size, label).to.equal(3);
      for (const [at, toolHost] of hosts.entries()) {
        const host = rows[at]!.querySelector('.host');
        expect([words(host).endsWith(toolHost), host?.checkVisibility() ?? false]).to.deep.equal([true, toolHost !== '']);
        expect(rows[at]!.querySelector('.checkbox')?.getAttribute('aria-labelledby')).to.equal('heading host');
      }
      expect(all.ariaLabel).to.include('(a.example)').and.include('(b.example)');
    }
  });

  const blank = { blank: ' \u3000\n', gap: `a${'\u2800'.repeat(90)}b${'\n '.repeat(40)}c`, nbsp: 'a\u00A0b' };
  for (const [what, args, shows] of [
    ['H115 characters that nobody would see', { file: 'report\u202Efdp.exe\u200B' }, ['reportU+202Efdp.exeU+200B', en.hiddenCharacters(2)]],
    ['H115 blanks that would push something out of sight', { command: `ls${' '.repeat(5000)}; rm -rf /` }, ['ls␣×5000; rm -rf /']],
    ['H115 what markup there is as text', { html: '<img src=x onerror=alert(1)> **bold**' }, ['<img src=x onerror=alert(1)> **bold**']],
    [
      'white space of any kind, and how much',
      blank,
      ['blank = ␣U+3000↵', 'gap = aU+2800×90b↵×40␣×40', 'nbsp = aU+00A0b', en.hiddenCharacters(90)],
    ],
  ] as const)
    it(what, async () => {
      const { panel } = await shown({ args });
      const values = find(panel, part('tool-card-arguments')) as HTMLElement;
      for (const text of shows) expect(deepText(values)).to.include(text);
      expect(values.querySelector('img, strong')).to.equal(null);
    });

  it('that a name or a value mixes letters of two alphabets, in words', async () => {
    const args = { amount: '5', '\u0430mount': '5000', to: 'p\u0430ypal' };
    const { question } = await shown({ args, label: 'P\u0430y' });
    for (const word of ['\u0430mount', 'p\u0430ypal', 'P\u0430y'])
      expect(deepText(question)).to.include(en.mixedScripts(word, [en.scripts.latin, en.scripts.cyrillic]));
  });

  const sentence = 'Delete the task “Call the dentist”';
  // What a sentence states is found out in `tools/stated-arguments.ts`.
  const byName = { sentence, stated: { args: ['task_id'], changes: [] } };

  it('an id by the name of what it stands for, and keeps it under its details, which may be looked at', async () => {
    const { panel, text } = await shown(byName);
    await armed(panel, approve);
    expect([text('.sentence').trim(), text('.object')]).to.deep.equal([sentence, 'Call the dentist']);
    const details = find<HTMLDetailsElement>(panel, '.details') as HTMLDetailsElement;
    expect([details.open, deepText(details).includes('task_id = task_7')]).to.deep.equal([false, true]);
    await click(details.querySelector('summary') as Element);
    await until(() => details.open && isArmed(find(panel, approve)), 'it does not unfold, or allows nothing any more');
  });

  it('an argument as the schema calls it for people, and by its own name under the details', async () => {
    const { args } = await shown({ args: { due_date: '2026-12-01', note: 'soon' }, labels: { due_date: 'Due on' } });
    expect(args()).to.include('Due on = 2026-12-01').and.include('note = soon').and.not.include('due_date');
  });

  const ids = ['t-1', 't-2', 't-3'];
  const each = ['Call the dentist', 'Water the plants', 'Pay the rent'].map((label) => ({ label, before: 'open', after: 'done' }));
  const stated = { args: ['task_ids'], changes: [] };
  const many = { sentence: 'Mark 3 tasks as done', args: { task_ids: ids }, preview: each, stated };

  it('ids in a list under its details where each is named by what it stands for, changed or gone', async () => {
    const gone = { ...many, sentence: 'Delete 3 tasks', preview: each.map(({ label }) => ({ label, before: 'open' })) };
    for (const change of [many, gone]) {
      const { text } = await shown(change);
      for (const { label } of each) expect(text('.facts')).to.include(label);
      expect(text('.facts')).to.not.include('t-2');
      expect(text('.details')).to.include('task_ids').and.include('t-2');
    }
  });

  for (const [what, change, names] of [
    ['the sentence does not state', { ...byName, args: { task_id: 't-1', force: true } }, ['force']],
    ['nobody has looked at', { sentence }, ['task_id']],
    [
      'only seems to be what it says',
      { sentence: 'Delete “report.pdf”', args: { file: 'report.pdf\u200B' }, stated: { args: ['file'], changes: [] } },
      ['file'],
    ],
    ['was written in an unusual way', { ...byName, flags: ['suspicious'] }, ['task_id']],
    ['could not be described', { ...byName, describeFailed: true }, ['task_id']],
    ['has no sentence', { stated: byName.stated }, ['task_id']],
  ] as const)
    it(`an argument in view that ${what}`, async () => {
      const { args } = await shown(change as Partial<Call>);
      for (const name of names) expect(args()).to.include(`${name} = `);
    });

  for (const [what, change, verbs] of [
    ['of its tool', { verbs: { allow: 'Delete task', deny: 'Keep it' } }, ['Keep it', 'Delete task']],
    ['of its label where the tool gives no verbs', { label: 'Delete task' }, [en.dont, 'Delete task']],
    ['of its own, never those of a service', { label: 'Keep everything as it is', flags: ['service'] }, [en.deny, en.allow]],
    ['to run a call that was only shown', { flags: ['quoted'], reason: en.reasonQuoted }, [en.skip, en.run]],
  ] as const)
    it(`verbs ${what}`, async () => {
      expect((await shown(change as Partial<Call>)).verbs()).to.deep.equal(verbs);
    });

  it('what becomes something else, and folds what only goes, unless the sentence names none of it', async () => {
    const gone = { label: 'Title', before: 'Call the dentist' };
    const { text } = await shown({ ...byName, preview: [gone, { label: 'State', before: 'open', after: 'done' }] });
    expect(text('.facts')).to.include('State').and.include('done').and.not.include('Title');
    expect(text('.details')).to.include('Title');
    const other = await shown({ ...byName, preview: [{ label: 'All invoices', before: '1,204 files' }] });
    expect(other.text('.facts')).to.include('All invoices').and.include('1,204 files');
    const rent = { label: 'Pay the rent', before: 'open' };
    for (const preview of [
      [{ label: 'Call the dentist', before: 'open' }, rent],
      [gone, { ...gone, before: 'Pay the rent' }],
      [{ label: 'task', before: '7' }, rent],
    ])
      expect((await shown({ ...byName, preview })).text('.facts'), 'another object').to.include('Pay the rent');
  });

  it('our own reason where a service gives none', async () => {
    expect((await shown({ flags: ['service'], reason: en.reasonService })).text('.reason')).to.equal(en.reasonService);
  });

  // What a page in that language says of its tool, and for how long an answer may hold.
  const french = ['Supprimer la tâche « Appeler le dentiste »', 'Supprimer la tâche', 'La garder', 'Chaque suppression dans cette session'];
  const arabic = ['حذف المهمة «الاتصال بطبيب الأسنان»', 'حذف المهمة', 'الإبقاء عليها', 'كل عملية حذف مهمة في هذه الجلسة'];
  for (const [lang, [sentence = '', allow = '', keep = '', offer = '']] of Object.entries({ ar: arabic, fr: french }))
    it(`one deletion in at most 220 px at 364 px, with all that can be chosen about it: ${lang}`, async () => {
      written(lang === 'ar' ? 'rtl' : 'ltr');
      const surface = waiting({ sentence, verbs: { allow, deny: keep }, stated: byName.stated });
      const edit = { schema: {}, sensitive: false, answered: 0 } as const;
      const { panel } = await stage(surface, { width: 364, lang, texts: await loadTexts(lang) });
      for (const offers of [[], [offer]]) {
        surface.setCard({ ...surface.view.cards['c1']!, offers, edit });
        await armed(panel, approve);
        await atRest(panel);
        const box = find(panel, part('tool-card')) as Element;
        expect(box.getBoundingClientRect().height).to.be.at.most(220);
        expect(isWithin(box, find(panel, part('messages')) as Element), 'all of it is in view').to.equal(true);
        const undo = pretend(panel, 'pointer: coarse');
        await atRest(panel);
        expect(box.getBoundingClientRect().height, 'under a finger').to.be.at.most(220);
        undo();
      }
    });
});
