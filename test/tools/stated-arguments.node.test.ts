/** A card folds an argument only if its sentence or its changes really state it: never because the same words occur in them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { splitArguments, splitChanges } from '../../src/elements/sentences.js';
import { en } from '../../src/i18n/en.js';
import { findStated } from '../../src/tools/stated-arguments.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { rounds } from '../helpers/effort.js';
import { checkedCall, setUp, tool } from './helpers.js';

type Arguments = Record<string, unknown>;

/** What a card would show of one call, and what it would fold. */
async function onCard(args: Arguments, change: Partial<ToolDefinition>) {
  let asked = 0;
  const { describeCall } = change;
  const counted = describeCall && {
    describeCall: (...given: Parameters<typeof describeCall>) => {
      asked += 1;
      return describeCall(...given);
    },
  };
  const setup = setUp([tool({ ...change, ...counted })]);
  const prepared = await checkedCall(setup, args);
  const stated = await findStated(prepared, setup);
  const call = { ...prepared.call, ...(stated && { stated }) };
  const { shown, folded } = splitArguments(call, en);
  const names = (rows: readonly (readonly [string, string])[]) => rows.map(([name]) => name);
  return { shown: names(shown), folded: names(folded), changes: splitChanges(call), asked };
}

const tasks: Record<string, string> = { 't-1': 'Call the dentist', 't-2': 'Water the plants', '17': 'Pay the rent' };
const deletes = ({ task_id }: Arguments) => `Delete “${tasks[String(task_id)] ?? 'nothing'}”`;

describe('the card of a call', () => {
  const address = 'eve@evil.example';
  const cases: [what: string, args: Arguments, describeCall: (args: Arguments) => string, shown: string[]][] = [
    [
      'a boolean whose word stands in a title',
      { title: 'What is true and what is not', permanent: true },
      ({ title }) => `Delete “${String(title)}”`,
      ['permanent'],
    ],
    ['an amount that a memo names, too', { memo: 'Invoice 4500 of May', amount: 4500 }, ({ memo }) => `Pay “${String(memo)}”`, ['amount']],
    [
      'null and an empty list',
      { title: 'null and [] are values', parent: null, only: [] },
      ({ title }) => `Clear “${String(title)}”`,
      ['parent', 'only'],
    ],
    [
      'an id by quotation marks of two arguments',
      { a: '“', b: '”', task_id: 't-9' },
      ({ a, b }) => `Delete ${String(a)}one task${String(b)}`,
      ['a', 'b', 'task_id'],
    ],
    ['an id beside a name that the sentence always says', { task_id: 't-1' }, () => 'Empty the “Trash”', ['task_id']],
    [
      'what changes the sentence but is not in it',
      { subject: `To ${address}`, bcc: address },
      ({ subject, bcc }) => `Send “${String(subject)}”${bcc === address ? '' : ' with a copy'}`,
      ['bcc'],
    ],
    ['a short number', { title: 'Milk', count: 5 }, ({ title, count }) => `Buy ${String(count)} of “${String(title)}”`, ['count']],
    ['a text with quotation marks of its own', { title: 'A” and “B' }, ({ title }) => `Delete “${String(title)}”`, ['title']],
  ];
  for (const [what, args, describeCall, shown] of cases)
    it(`has in view ${what}`, async () => {
      expect((await onCard(args, { describeCall })).shown).to.deep.equal(shown);
    });

  it('has in view an argument whose text is what another one changes', async () => {
    const preview = ({ title }: Arguments) => [{ label: 'Title', before: 'Old', after: title }];
    const { shown, folded } = await onCard({ task_id: 't-1', title: address, bcc: address }, { describeCall: deletes, preview });
    expect([shown, folded]).to.deep.equal([['bcc'], ['task_id', 'title']]);
  });

  it('has in view ids whose changes another argument names', async () => {
    const args = { titles: ['One', 'Two'], project_ids: ['p-1', 'p-2'] };
    const preview = ({ titles }: Arguments) => (titles as string[]).map((label) => ({ label, after: 'new' }));
    const { shown } = await onCard(args, { describeCall: ({ titles }) => `Create ${String((titles as string[]).length)} tasks`, preview });
    expect(shown).to.include('project_ids');
  });

  it('folds what the sentence and the changes state: texts, dates, an id by its name, ids by theirs', async () => {
    const rename = ({ task_id, title }: Arguments) => `Rename “${tasks[String(task_id)] ?? ''}” to “${String(title)}”`;
    expect((await onCard({ task_id: 't-1', title: '给牙医打电话' }, { describeCall: rename })).shown).to.deep.equal([]);
    expect(
      (await onCard({ task_id: 't-1', title: 'Ring' }, { describeCall: (args) => Promise.resolve(rename(args)) })).shown,
    ).to.deep.equal([]);
    expect((await onCard({ task_id: 17 }, { describeCall: deletes })).shown).to.deep.equal([]);
    const plan = ({ title, day }: Arguments) => `Plan “${String(title)}” on ${String(day)}`;
    const planned = { describeCall: plan, preview: ({ day }: Arguments) => [{ label: 'Day', after: day }] };
    const { shown, changes } = await onCard({ title: 'Lunch', day: '2026-12-01' }, planned);
    expect([shown, changes.shown]).to.deep.equal([[], []]);
    const each = ({ task_ids }: Arguments) => (task_ids as string[]).map((id) => ({ label: tasks[id] ?? id, after: 'done' }));
    const many = { describeCall: ({ task_ids }: Arguments) => `Mark ${String((task_ids as string[]).length)} as done` };
    for (const preview of [each, (args: Arguments) => Promise.resolve(each(args))])
      expect((await onCard({ task_ids: ['t-1', 't-2'] }, { ...many, preview })).folded).to.deep.equal(['task_ids']);
  });

  for (const [what, sentence, change, args] of [
    ['one is not named', 'Mark 2 as done', (all: { label: string }[]) => all.slice(1), {}],
    [
      'they are named by themselves',
      'Mark 2 as done',
      (all: { label: string }[]) => all.map((one, at) => ({ ...one, label: `t-${String(at + 1)}` })),
      {},
    ],
    ['the sentence does not say how many they are', 'Mark 12 as done', (all: { label: string }[]) => all, {}],
    ['one stands for all', 'Mark 2 as done', (all: { label: string }[]) => all, { task_ids: ['t-1', 'all'] }],
  ] as const)
    it(`has ids in a list in view where ${what}`, async () => {
      const preview = () =>
        change([
          { label: 'Call the dentist', after: 'done' },
          { label: 'Water the plants', after: 'done' },
        ] as never);
      const { shown } = await onCard({ task_ids: ['t-1', 't-2'], ...args }, { describeCall: () => sentence, preview });
      expect(shown).to.deep.equal(['task_ids']);
    });

  for (const [what, args, describeCall] of [
    ['it is not what the sentence says, but like it', { amount: 2500 }, () => 'Pay 25000 to “Ada”'],
    ['it names everything', { task_id: 'all' }, ({ task_id }: Arguments) => `Delete the task “${task_id === 'all' ? 'Each' : ''}”`],
    ['the name is of its own making', { memo: 'Ada', account_id: 'x-1' }, ({ memo }: Arguments) => `Pay “${String(memo)}”`],
    ['it is one of two', { task_id: 't-1', list_id: 'l-1' }, deletes],
  ] as const)
    it(`has an argument in view where ${what}`, async () => {
      const { shown } = await onCard(args, { describeCall });
      expect(shown).to.include(Object.keys(args).at(-1));
    });

  it('does not ask a tool for what does not exist if it has to ask a server, and asks only so often', async () => {
    const looked: unknown[] = [];
    const describeCall = async (args: Arguments) => {
      looked.push(args['task_id']);
      await Promise.resolve();
      return deletes(args);
    };
    expect((await onCard({ task_id: 't-1', force: true }, { describeCall })).folded).to.deep.equal(['task_id']);
    expect(new Set(looked)).to.deep.equal(new Set(['t-1']));
    const args = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field${String(at)}`, `value ${String(at)}`]));
    const { asked, folded } = await onCard(args, { describeCall: (given) => Object.values(given).join(' , ') });
    expect(asked).to.be.at.most(9);
    expect(folded.length).to.be.at.most(8);
  });

  it('has everything in view of a tool that answers no second time, or another', async () => {
    let times = 0;
    const describeCall = ({ title }: Arguments) => {
      if ((times += 1) > 1) throw new Error('Only once');
      return `Delete “${String(title)}”`;
    };
    expect((await onCard({ title: 'Report' }, { describeCall })).shown).to.deep.equal(['title']);
    const random = ({ title }: Arguments) => `Delete “${String(title)}” (${String((times += 1))})`;
    expect((await onCard({ title: 'Report' }, { describeCall: random })).shown).to.deep.equal(['title']);
  });

  it('of any tool and any arguments has in view whatever the sentence does not use', async () => {
    const names = ['title', 'note', 'bcc', 'permanent', 'amount', 'path', 'task_id', 'scope'] as const;
    const words = ['', ...'true all null [] eve@evil.example /etc 4500 Report “ ” 「 」 " “Report” t-1 是 🗑️'.split(' ')];
    const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((all) => all.join(' '));
    const value = fc.oneof(
      { weight: 4, arbitrary: text },
      fc.boolean(),
      fc.constantFrom(null, 4500, 5, 1, [], ['all'], 'Report', 't-1', 't-2'),
    );
    const calls = fc.record({
      args: fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1 }),
      // How the sentence uses an argument: not at all, as it is, only whether it is there, only how long it is.
      uses: fc.array(fc.tuple(fc.constantFrom(...names), fc.constantFrom('none', 'quoted', 'bare', 'whether', 'length', 'name')), {
        maxLength: 5,
      }),
      fixed: fc.constantFrom('Delete', 'Empty the “Trash” of', '把「它」', 'Pay 4500 to eve@evil.example , all'),
      slow: fc.boolean(),
      changes: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(calls, async ({ args, uses, fixed, slow, changes }) => {
        const say = (given: Arguments) =>
          [
            fixed,
            ...uses.map(([name, how]) => {
              if (how === 'none') return '';
              const said = typeof given[name] === 'string' ? given[name] : JSON.stringify(given[name] ?? null);
              if (how === 'quoted') return `“${said}”`;
              if (how === 'bare') return said;
              if (how === 'whether') return given[name] ? 'too' : '';
              if (how === 'length') return String(said.length);
              return how === 'name' ? `“${tasks[said] ?? ''}”` : '';
            }),
          ].join(' ');
        const preview = (given: Arguments) => changes.map((name) => ({ label: name, before: 'Report', after: given[name] }));
        const { shown } = await onCard(args, { describeCall: (given) => (slow ? Promise.resolve(say(given)) : say(given)), preview });
        // That a slow tool has read an id is as good as that it has used it.
        const isRead = slow && uses.some(([name, how]) => name === 'task_id' && how !== 'none');
        const used = new Set([
          ...uses.filter(([, how]) => ['quoted', 'bare', 'name'].includes(how)).map(([name]) => name),
          ...changes,
          ...(isRead ? ['task_id'] : []),
        ]);
        for (const name of Object.keys(args))
          if (!used.has(name as never)) expect(shown, `${name} of ${JSON.stringify(args)}`).to.include(name);
        for (const [name, given] of Object.entries(args))
          if (typeof given !== 'string' && given !== 4500 && !changes.includes(name as never) && name !== 'task_id')
            expect(shown, `${name} is ${JSON.stringify(given)}`).to.include(name);
      }),
      { numRuns: rounds(3_000) },
    );
  });
});
