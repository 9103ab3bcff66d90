import { expect } from 'chai';
import { estimateTokens } from '../../src/prompts/tokens.js';
import { isLinear } from '../protocols/reading.js';

const VERBS = ['create', 'read', 'update', 'delete'];
const NOUNS = ['task', 'area', 'schedule', 'link', 'tag'];
const row = (id: string, title: string, completed: boolean, area_id: string | null, sort_order: number, created_at: string) => ({
  ...{ id, title, completed, area_id, sort_order, created_at },
});

/** Texts with their true number of tokens, counted with the vocabulary o200k_base (gpt-tokenizer 4.0.0). */
const samples: [kind: string, tokens: number, text: string][] = [
  [
    'English',
    95,
    'The widget reads what a model writes, shows the page exactly what will happen, and lets a person decide. A call that was cut off is never guessed into being: it is reported, and the model may write it again. Results go back as plain text, so that any model can follow them. If the connection drops before the first event, the request is repeated after one, two and four seconds; once a tool has run, nothing is asked again by itself.',
  ],
  [
    'Chinese instructions',
    111,
    '你是一个任务管理助手，帮助用户管理任务和日程。当需要执行操作时，请使用以下格式。每次只调用一个工具，所有参数都是字符串，布尔值用真或假表示，并且严格按照格式书写。用户可以在今日视图中看到新建的任务，也可以把任务移动到某个区域，或者为它安排具体的日期。删除任务之前必须得到用户的确认；如果用户拒绝，请用自然语言说明情况，不要再次尝试同样的操作。',
  ],
  [
    'Japanese',
    60,
    'このウィジェットは、モデルが書いた文章を読み取り、これから何が起こるかをページに正確に表示し、最終的な判断は人に任せます。途中で切れた呼び出しは実行されません。',
  ],
  [
    'Korean',
    48,
    '이 위젯은 모델이 작성한 텍스트를 읽고 앞으로 일어날 일을 페이지에 정확히 보여 주며, 최종 결정은 사람이 내립니다. 중간에 끊긴 호출은 실행되지 않습니다.',
  ],
  [
    'a JSON schema',
    100,
    '{"type":"object","properties":{"title":{"type":"string","description":"Title of the task","minLength":1},"priority":{"enum":["low","medium","high"]},"scheduled_date":{"type":"string","format":"date"},"tags":{"type":"array","items":{"type":"string"},"maxItems":10},"completed":{"type":"boolean"}},"required":["title"],"additionalProperties":false,"$schema":"https://json-schema.org/draft/2020-12/schema"}',
  ],
  [
    'indented JSON with ids',
    181,
    JSON.stringify(
      [
        row('3f2b8c1e-94a7-4d0e-b1c2-7a5e9d3f6b10', 'Finish the report', false, null, 1, '2026-03-14T09:30:00Z'),
        row('a81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'Call the plumber', true, 'home', 2, '2026-03-12T17:05:00Z'),
      ],
      null,
      2,
    ),
  ],
  [
    'a tool of the prompt',
    80,
    [
      '### create_task',
      '描述：创建任务',
      '参数：',
      '- title (必填): 任务标题',
      '- priority (可选): 优先级（可选值：low, high）',
      '- done (可选): boolean',
      '示例：',
      '<tool_use>',
      '<invoke name="create_task">',
      '<parameter name="title">完成项目报告</parameter>',
      '</invoke>',
      '</tool_use>',
      '',
    ].join('\n'),
  ],
  [
    'a list of tool names',
    179,
    Array.from({ length: 20 }, (_, n) => `- ${VERBS[n % 4]!}_${NOUNS[n % 5]!}_${String(n)}: Changes something`).join('\n'),
  ],
];

describe('the token estimate (S2-52)', () => {
  for (const [kind, tokens, text] of samples) {
    it(`is within 25 % for ${kind}`, () => {
      expect(estimateTokens(text)).to.be.within(tokens * 0.75, tokens * 1.25);
    });
  }

  it('is close for a whole prompt', () => {
    const whole = samples.map(([, , text]) => text).join('\n\n');
    const tokens = samples.reduce((sum, [, count]) => sum + count, 0);
    expect(estimateTokens(whole)).to.be.within(tokens * 0.9, tokens * 1.1);
  });

  it('is nothing for nothing, and grows with the text', () => {
    expect(estimateTokens('')).to.equal(0);
    expect(estimateTokens('a tool')).to.be.below(estimateTokens('a tool that creates tasks'));
  });

  it('takes linear time for a run without blanks', () => {
    expect(isLinear((length) => estimateTokens('任务'.repeat(length) + 'a1'.repeat(length)), 50_000)).to.equal(true);
  });
});
