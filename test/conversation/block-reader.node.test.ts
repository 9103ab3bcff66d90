/** Plans and questions in the text of a model: found in every chunking, lost in none (S4-27, S4-44). */
import { expect } from 'chai';
import { createBlockReader, type ReplyPiece } from '../../src/conversation/reply/block-reader.js';
import { type BlockKind } from '../../src/model/plan.js';
import { jsonActionReader } from '../../src/protocols/json-action/parser.js';
import { jsonToolCallsReader } from '../../src/protocols/json-tool-calls/parser.js';
import type { ProtocolReader } from '../../src/protocols/protocol.js';
import { xmlInvokeReader } from '../../src/protocols/xml-invoke/parser.js';
import { isLinear } from '../helpers/cost.js';

const both: readonly BlockKind[] = ['task_plan', 'clarify'];

/** What comes out, with neighbouring texts joined: how the text was cut says nothing. */
function read(
  chunks: readonly string[],
  kinds = both,
  reader?: Required<ProtocolReader>,
  reason: 'stop' | 'abort' | 'length' = 'stop',
): ReplyPiece[] {
  const pieces: ReplyPiece[] = [];
  const blocks = createBlockReader(kinds, (piece) => {
    const last = pieces.at(-1);
    if (piece.type === 'text' && last?.type === 'text') last.text += piece.text;
    else if (piece.type === 'hidden' && last?.type === 'hidden') last.raw += piece.raw;
    else pieces.push({ ...piece });
  });
  const parser = reader?.createParser((segment) => blocks.take(segment));
  for (const chunk of chunks) {
    if (parser) parser.push(chunk);
    else blocks.take({ type: 'text', text: chunk });
  }
  parser?.end(reason);
  blocks.end(reason);
  return pieces;
}

const kindsOf = (pieces: readonly ReplyPiece[]) => pieces.map((piece) => (piece.type === 'block' ? piece.block.kind : piece.type));
const shownOf = (pieces: readonly ReplyPiece[]) => pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join('');
/** All that went in: text, blocks as they were written, what is hidden. */
const whole = (pieces: readonly ReplyPiece[]) =>
  pieces.map((piece) => (piece.type === 'text' ? piece.text : piece.type === 'block' || piece.type === 'hidden' ? piece.raw : '')).join('');

const plan = {
  task_plan: {
    goal: 'A report',
    steps: [
      { id: '1', title: 'Look', tool: 'search', input: { q: 'a } b' } },
      { id: '2', title: 'Write', dependsOn: ['1'] },
    ],
  },
};
const clarify = { clarify: { default: 'A page about cats', questions: [{ text: 'How long?', options: ['short', 'long'] }] } };
const fenced = (value: unknown, word = 'json') => `\`\`\`${word}\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const found: Record<string, string> = {
  'in a fence': `First a plan.\n\n${fenced(plan)}\n\nNow the first step.`,
  'in a fence without a word': fenced(plan, ''),
  'in a fence of tildes': `~~~json\n${JSON.stringify(plan)}\n~~~\n`,
  bare: `Here:\n${JSON.stringify(plan, null, 2)}\nand on.`,
  'bare, alone': JSON.stringify(clarify),
  'with braces, quotes and escapes in strings': fenced({ clarify: { default: 'a "{[}" \\ ``` b', questions: [] } }),
  'at the end, its fence not closed': fenced(plan).slice(0, -3),
};

const text: Record<string, string> = {
  'inside of another fence': `\`\`\`\`md\n${fenced(plan)}\n\`\`\`\``,
  'in a fence of another kind': fenced(plan, 'js'),
  'in inline code': `Write \`${JSON.stringify(plan)}\` like this.`,
  'in the middle of a line': `So ${JSON.stringify(plan)}`,
  'in a quotation': `> ${JSON.stringify(plan)}`,
  'with another first key': fenced({ note: 1, ...plan }),
  'only begun': '```json\n{"task_plan',
};

const broken: Record<string, string> = {
  'that is no JSON': '```json\n{"task_plan": {"goal": oops}}\n```\nand on',
  'that never ends': 'Now\n{"task_plan": {"goal": "a"',
  'with a line break in a string': '```json\n{"task_plan": {"goal": "a\nb"}}\n```\n',
  'with something behind it': `\`\`\`json\n${JSON.stringify(plan)}\nThere.\n\`\`\`\n`,
  'without a goal': fenced({ task_plan: { steps: [{ id: '1', title: 'a' }] } }),
  'without steps': fenced({ task_plan: { goal: 'g', steps: [] } }),
};

describe('plans and questions in the text', () => {
  it('are the same in every two-way split, and nothing is lost', () => {
    for (const [what, source] of Object.entries({ ...found, ...text, ...broken })) {
      const once = read([source]);
      expect(whole(once), what).to.equal(source);
      for (let at = 0; at <= source.length; at += 1)
        expect(read([source.slice(0, at), source.slice(at)]), `${what}, split at ${String(at)}`).to.deep.equal(once);
      expect(read([...source]), `${what}, one by one`).to.deep.equal(once);
    }
  });

  it('are found wherever they may stand, and are text elsewhere', () => {
    for (const [what, source] of Object.entries(found))
      expect(
        kindsOf(read([source])).filter((kind) => kind !== 'text'),
        what,
      ).to.have.length(1);
    for (const [what, source] of Object.entries(text)) expect(read([source]), what).to.deep.equal([{ type: 'text', text: source }]);
  });

  it('are not shown where they cannot be used, and it is said what is wrong', () => {
    for (const [what, source] of Object.entries(broken)) {
      const pieces = read([source]);
      expect(kindsOf(pieces).at(-1), what).to.equal('broken-block');
      expect(shownOf(pieces), what).not.to.match(/[{}]|task_plan|There/);
      expect((pieces.at(-1) as { problem: { code: string } }).problem.code, what).to.match(/./);
    }
  });

  it('says nothing about a plan that was cut off', () => {
    for (const reason of ['abort', 'length'] as const)
      expect(kindsOf(read(['{"task_plan": {"goal'], both, undefined, reason))).to.deep.equal(['hidden']);
  });

  for (const reader of [jsonActionReader, jsonToolCallsReader, xmlInvokeReader])
    it(`is no call under ${reader.id}, and no call is a plan`, () => {
      const source = `Plan:\n\n${fenced(plan)}\n\nand questions\n\n${fenced(clarify)}\n`;
      for (const cut of [1, 7, 64, source.length]) {
        const chunks = source.match(new RegExp(`[^]{1,${String(cut)}}`, 'g')) ?? [];
        expect(kindsOf(read(chunks, both, reader)).filter((kind) => kind !== 'text')).to.deep.equal(['task_plan', 'clarify']);
      }
    });

  it('takes the first two questions, with six answers each, and none that only asks for more', () => {
    const options = ['1', '2', '3', '4', '5', '6', '7'];
    const questions = [{ text: '请补充。' }, { text: 'a', options }, { text: 'b' }, { text: 'c' }];
    const [piece] = read([fenced({ clarify: { default: 'd', questions } })]);
    const two = [
      { text: 'a', options: options.slice(0, 6) },
      { text: 'b', options: [] },
    ];
    expect(piece).to.have.deep.nested.property('block.clarify', { default: 'd', questions: two });
    expect(kindsOf(read([fenced({ clarify: { default: '请补充', questions: [] } })]))).to.deep.equal(['text', 'broken-block']);
  });

  it('is linear: openers without end cost no more than their length', async () => {
    const prepare = (unit: string) => (size: number) => {
      const chunks = unit.repeat(size).match(/[^]{1,97}/g) ?? [];
      return () => read(chunks);
    };
    const hostile = ['{"task_plan":\n', '```json\n{"task_plan":"\n```\n', '```json\n{"task_plan":{"a":"\\"', '{"clarify":[\n\n`'];
    for (const unit of hostile) expect(await isLinear(prepare(unit), 2_000), unit).to.equal(true);
  });
});
