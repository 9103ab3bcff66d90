/**
 * What the model is told on the demo page, word for word, in every notation and both languages, so that no change of a word goes unseen; and in
 * the presets that have the words of a seed. The texts stand in `test/fixtures/prompts`; `npm run golden` writes them anew, and the diff is to be read.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { presets } from '../../src/conversation/options/presets.js';
import { addChinesePrompts } from '../../src/prompts/chinese.js';
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

addChinesePrompts();
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
  ...[
    { name: 'cutie-xml', id: 'xml-invoke', preset: 'cutie-xml' },
    { name: 'json-block', id: 'json-action', preset: 'json-block' },
    { name: 'aio-vcp', id: 'vcp', preset: 'aio-vcp' },
  ],
];

for (const { name, id, preset } of cases)
  for (const lang of ['en', 'zh-CN'])
    it(`tells the model on the demo page what stands in ${name}.${lang}.txt, word for word (Y-02, S0-76, S0-77, S0-79, S1-17 … S1-20)`, async () => {
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

it('a word in the other language is found in a prompt (control)', () => {
  expect('1. 只调用一个\n2. Call one tool at a time, please').to.match(englishLine);
  expect('- title (必填): 任务标题').not.to.match(englishLine);
});
