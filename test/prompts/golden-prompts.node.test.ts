/**
 * What the model is told on the demo page, word for word, in every notation and both languages, so that no change of a word goes unseen; and in
 * the presets that have the words of a seed. The texts stand in `test/fixtures/prompts`; `npm run golden` writes them anew, and the diff is to be read.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { presets } from '../../src/conversation/options/presets.js';
import { exampleTurns } from '../../src/prompts/examples.js';
import { formatResults } from '../../src/prompts/results.js';
import { composeSystemPrompt } from '../../src/prompts/system-prompt.js';
import { protocols } from '../../src/protocols/index.js';
import { describeTools } from '../../src/tools/describe-tools.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
// @ts-expect-error the demo is JavaScript
import { systemPrompt as demoPrompt } from '../../demo/system-prompt.js';
// @ts-expect-error the demo is JavaScript
import { createTaskTools } from '../../demo/tools.js';

const FOLDER = new URL('../fixtures/prompts/', import.meta.url);
const today = '2026-11-23';

const systemPrompt = demoPrompt as (lang: string) => string;
const demoTools = createTaskTools as (options: { api: object; lang: string }) => ToolDefinition[];

async function whole(id: string, lang: string, preset: string): Promise<string> {
  const protocol = protocols[id]!;
  const tools = describeTools(demoTools({ api: {}, lang }), id);
  const { callsPerTurn = 'many', promptOptions = {} } = presets[preset] ?? {};
  const system = await composeSystemPrompt({
    ...{ protocol, tools, lang, today, callsPerTurn, systemPrompt: systemPrompt(lang) },
    ...{ counterExamples: promptOptions.counterExamples, wording: promptOptions.wording },
    variables: { user_name: lang === 'en' ? 'Ann' : '小明', current_date: today, current_view: `daily::${today}` },
  });
  const results = [
    { requestId: 'call_1', toolName: 'create_task', success: true, status: 'success' as const, message: 'OK', result: 'OK', durationMs: 1 },
  ];
  const turns = [...exampleTurns(protocol, tools, { lang, today }), { role: 'user', text: formatResults(protocol, results, lang) }];
  return ['----- system', system, ...turns.flatMap(({ role, text }) => [`----- ${role}`, text]), ''].join('\n');
}

const HAN = /\p{Script=Han}/u;
/** Lines that are words, not markup, names or values. */
const englishLine = /^(?:- |\d\. |#+ )?(?:[A-Za-z]+[ ,.;:’']+){4,}/m;

const cases = [
  ...Object.keys(protocols).map((id) => ({ name: id, id, preset: 'balanced' })),
  ...Object.entries({ 'cutie-xml': 'xml-invoke', 'json-block': 'json-action', 'aio-vcp': 'vcp' }).map(([preset, id]) => ({
    name: preset,
    id,
    preset,
  })),
];

for (const { name, id, preset } of cases)
  for (const lang of ['en', 'zh-CN'])
    it(`tells the model on the demo page what stands in ${name}.${lang}.txt, word for word (Y-02)`, async () => {
      const text = await whole(id, lang, preset);
      const file = new URL(`${name}.${lang}.txt`, FOLDER);
      if (process.env['GOLDEN'] === 'write') {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, text);
      }
      expect(existsSync(file), `${file.pathname}: run \`npm run golden\` once`).to.equal(true);
      expect(text).to.equal(readFileSync(file, 'utf8'));

      // It names the class of each tool, and says what asks.
      const words = lang === 'en' ? ['Kind: query', 'Kind: write', 'Kind: danger'] : ['类别：查询', '类别：写入', '类别：危险'];
      expect(words.map((word) => text.split(word).length - 1)).to.deep.equal([1, 3, 1]);
      expect(text).to.match(lang === 'en' ? /[Dd]anger\w* (?:tools|operations)/ : /危险类工具|危险操作|Dangerous operations: 需要用户确认/);
      // It is in one language. Seed 001 wrote its rules in English; they are kept to the letter.
      if (lang === 'en') expect(text.replace(/「[始末](?:ESCAPE)?」?|「[始末]」/g, '')).not.to.match(HAN);
      else if (name !== 'json-block') expect(text).not.to.match(englishLine);
      // No sample is old or long, none speaks of escapes, and the goal comes last.
      expect(text).not.to.match(/2024|123e4567|[0-9a-f]{8}-[0-9a-f]{4}-|CDATA|ESCAPE/);
      const [, system = ''] = text.split(/^----- \w+\n/m);
      expect(system.trim().split('\n').at(-1)).to.match(/^(Your goal|你的目标)/);
    });

describe('a word of the prompt', () => {
  it('in the other language is found (control)', () => {
    expect('1. 只调用一个\n2. Call one tool at a time, please').to.match(englishLine);
    expect('- title (必填): 任务标题').not.to.match(englishLine);
  });

  it('of the seeds stands in their presets only (S0-76, S0-77, S0-79, S1-17 … S1-20)', async () => {
    const seed = await whole('xml-invoke', 'zh-CN', 'cutie-xml');
    expect(seed).to.contain('<invoke name="工具名称">\n<parameter name="参数名">参数值</parameter>\n</invoke>\n</tool_use>');
    expect(seed).to.contain('1. 每次只调用一个工具\n2. 所有参数都是字符串\n3. 布尔值用 "true"/"false"\n4. 严格按照XML格式\n');
    expect(seed)
      .to.match(/### create_task\n描述：.*\n(?:.*\n)?参数：\n- title \(必填\)/)
      .and.to.contain('错误示例');
    const plain = await whole('xml-invoke', 'zh-CN', 'balanced');
    expect(plain).not.to.match(/工具名称|所有参数都是字符串|错误示例/);

    const json = await whole('json-action', 'zh-CN', 'json-block');
    const parts = [
      '## Tool Call Protocol\n\nWhen you need to use a tool, use this exact JSON format in a code block:\n```json\n{\n  "action": "tool_call",\n',
      'Rules:\n1. Always use a code block with ```json\n2. Set "action" to "tool_call"\n3. "name" must be exactly one of the available tools\n',
      '6. After receiving tool results, respond naturally to the user\n7. Call one tool at a time',
      '## Available Tools\n\n### create_schedule\n',
      '## Tool Usage Rules\n1. Query operations: 直接执行\n2. Write operations: 直接执行\n3. Dangerous operations: 需要用户确认',
    ];
    const places = parts.map((part) => json.indexOf(part));
    expect(places).not.to.include(-1);
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
    expect(await whole('vcp', 'en', 'aio-vcp')).to.contain('<<<[TOOL_DEFINITION]>>>');
    expect(await whole('vcp', 'en', 'balanced')).not.to.contain('TOOL_DEFINITION');
  });
});
