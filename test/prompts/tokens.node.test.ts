import { expect } from 'chai';
import { estimateTokens } from '../../src/prompts/tokens.js';
import { cpuTime } from '../helpers/cpu-time.js';

/** Texts with their true number of tokens, counted with the vocabulary o200k_base (gpt-tokenizer 4.0.0). */
const samples: [kind: string, tokens: number, text: string][] = [
  [
    'English',
    95,
    'The widget reads what a model writes, shows the page exactly what will happen, and lets a person decide. A call that was cut off is never guessed into being: it is reported, and the model may write it again. Results go back as plain text, so that any model can follow them. If the connection drops before the first event, the request is repeated after one, two and four seconds; once a tool has run, nothing is asked again by itself.',
  ],
  [
    'English instructions',
    57,
    'Query operations read something and change nothing, so they run at once. Write operations change data that can be changed back; dangerous operations cannot be undone easily, which is why they always wait for a person. A tool that does not say what it does is treated like a dangerous one.',
  ],
  [
    'Chinese instructions',
    111,
    '你是一个任务管理助手，帮助用户管理任务和日程。当需要执行操作时，请使用以下格式。每次只调用一个工具，所有参数都是字符串，布尔值用真或假表示，并且严格按照格式书写。用户可以在今日视图中看到新建的任务，也可以把任务移动到某个区域，或者为它安排具体的日期。删除任务之前必须得到用户的确认；如果用户拒绝，请用自然语言说明情况，不要再次尝试同样的操作。',
  ],
  [
    'Chinese description',
    83,
    '本工具从网页中读取内容，整理成一份简短的报告。首先搜索相关的资料，然后逐条阅读，最后给出结论和参考来源。如果搜索没有结果，请换一个关键词再试一次；如果网络出现错误，请告诉用户稍后重试，并且不要编造任何数据。报告完成以后，可以保存为笔记，也可以发送到指定的邮箱地址。',
  ],
  [
    'Chinese prose',
    83,
    '人工智能近年来发展迅速，大语言模型已经能够理解复杂的指令并完成多种任务。然而模型并不总是可靠：它可能误解用户的意图，也可能在没有把握的时候给出错误的答案。因此，界面必须清楚地展示即将发生的操作，让人来做最后的决定，而不是让程序悄悄地替人行动。',
  ],
  ['traditional Chinese', 42, '這個元件會讀取模型所寫的文字，並且準確地顯示接下來會發生什麼事，最後由使用者決定是否執行。'],
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
    [
      '[',
      '  {',
      '    "id": "3f2b8c1e-94a7-4d0e-b1c2-7a5e9d3f6b10",',
      '    "title": "Finish the report",',
      '    "completed": false,',
      '    "area_id": null,',
      '    "sort_order": 1,',
      '    "created_at": "2026-03-14T09:30:00Z"',
      '  },',
      '  {',
      '    "id": "a81d4fae-7dec-11d0-a765-00a0c91e6bf6",',
      '    "title": "Call the plumber",',
      '    "completed": true,',
      '    "area_id": "home",',
      '    "sort_order": 2,',
      '    "created_at": "2026-03-12T17:05:00Z"',
      '  }',
      ']',
    ].join('\n'),
  ],
  [
    'compact JSON with ids',
    136,
    '{"success":true,"tasks":[{"id":"3f2b8c1e-94a7-4d0e-b1c2-7a5e9d3f6b10","n":12345678,"when":"2026-03-14T09:30:00.000Z","ok":true},{"id":"9d1c7a52-0b3e-4f86-a2d9-5c8e1f7b6a43","n":87654321,"when":"2026-03-15T10:45:30.500Z","ok":false}]}',
  ],
  [
    'TypeScript',
    144,
    [
      'export function skipBlanks(text: string, at: number): number {',
      '  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;',
      '  return at;',
      '}',
      '',
      '/** The position after `word`, if it stands at `at`. */',
      'export function matchWord(text: string, at: number, word: string): number {',
      '  const length = Math.min(word.length, text.length - at);',
      '  for (let index = 0; index < length; index += 1) {',
      '    if (text.charCodeAt(at + index) !== word.charCodeAt(index)) return NO;',
      '  }',
      '  return length === word.length ? at + length : MORE;',
      '}',
      '',
    ].join('\n'),
  ],
  [
    'Python',
    94,
    [
      'def read_config(path: str) -> dict[str, object]:',
      '    """Reads a JSON file and checks what it holds."""',
      '    with open(path, encoding="utf-8") as file:',
      '        data = json.load(file)',
      '    if not isinstance(data, dict):',
      '        raise ValueError(f"{path}: expected an object, got {type(data).__name__}")',
      '    return {key: value for key, value in data.items() if not key.startswith("_")}',
      '',
    ].join('\n'),
  ],
  [
    'CSS',
    87,
    [
      '.panel { display: grid; grid-template-rows: auto 1fr auto; gap: var(--tool-chat-gap, 8px); padding: 12px 16px; background: color-mix(in oklab, canvas 94%, currentcolor); }',
      '.panel[hidden] { display: none; }',
      '@media (prefers-reduced-motion: reduce) { .panel { transition: none; } }',
      '',
    ].join('\n'),
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
    [
      '- create_task_0: Changes something',
      '- read_area_1: Changes something',
      '- update_schedule_2: Changes something',
      '- delete_link_3: Changes something',
      '- create_tag_4: Changes something',
      '- read_task_5: Changes something',
      '- update_area_6: Changes something',
      '- delete_schedule_7: Changes something',
      '- create_link_8: Changes something',
      '- read_tag_9: Changes something',
      '- update_task_10: Changes something',
      '- delete_area_11: Changes something',
      '- create_schedule_12: Changes something',
      '- read_link_13: Changes something',
      '- update_tag_14: Changes something',
      '- delete_task_15: Changes something',
      '- create_area_16: Changes something',
      '- read_schedule_17: Changes something',
      '- update_link_18: Changes something',
      '- delete_tag_19: Changes something',
    ].join('\n'),
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
    const started = cpuTime();
    estimateTokens('任务'.repeat(50_000) + 'a1'.repeat(50_000));
    expect(cpuTime() - started).to.be.below(1000);
  });
});
