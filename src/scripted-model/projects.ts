/** Two scenarios with several steps: the scripted model plans the first and asks questions before the second. */
import { isChinese } from './intents.js';
import { dayAfter } from './parsed-prompt.js';
import type { ParsedPrompt, ResultInPrompt } from './parsed-prompt.js';
import type { Reply } from './scripted-request.js';

const zh = {
  plan: '好的，先列一个简短计划，然后马上开始。',
  goal: '今天任务的报告',
  steps: ['查看今天的任务', '比较并总结', '把报告保存为任务'],
  saving: '看完了，现在保存报告。',
  report: (open: number, done: number) => `今日报告：${open} 个未完成，${done} 个已完成`,
  saved: (title: string) => `计划完成了，报告已保存为任务「${title}」。`,
  failed: (why: string) => `计划没有走完：${why}`,
  ask: '可以，我先猜一下你想要什么：',
  guess: '一页关于“人工智能在教育中的应用”的简报，用 Markdown 列出要点',
  questions: [
    { text: '研究哪方面？', options: ['课堂教学', '作业批改', '学习评估'] },
    { text: '要什么格式？', options: ['一页简报', '对比表格'] },
  ],
  found: (topic: string, isTable: boolean) =>
    `## ${topic}\n\n${isTable ? '| 做法 | 好处 | 风险 |\n|---|---|---|\n| 先人工，后辅助 | 质量可控 | 较慢 |\n| 先辅助，后复核 | 快 | 可能漏看 |' : '1. **现状**：已有多个试点。\n2. **好处**：反馈更快。\n3. **风险**：需要人工复核。'}\n\n这是演示模型写的示例，没有查过任何资料。`,
};

const en: typeof zh = {
  plan: 'Sure. A short plan first, then I begin.',
  goal: "A report about today's tasks",
  steps: ["Look at today's tasks", 'Compare and summarise them', 'Save the report as a task'],
  saving: 'I have seen them; now I save the report.',
  report: (open, done) => `Today's report: ${open} open, ${done} done`,
  saved: (title) => `The plan is finished: the report is saved as the task “${title}”.`,
  failed: (why) => `The plan could not be finished: ${why}`,
  ask: 'Gladly. Let me guess what you have in mind:',
  guess: 'One page about artificial intelligence in schools, the main points as Markdown',
  questions: [
    { text: 'Which side of it?', options: ['Lessons', 'Homework', 'Exams'] },
    { text: 'In what form?', options: ['One page', 'A table'] },
  ],
  found: (topic, isTable) =>
    `## ${topic}\n\n${isTable ? '| Way | Good | Risk |\n|---|---|---|\n| By hand, then helped | Careful | Slow |\n| Helped, then checked | Fast | Things are missed |' : '1. **Today**: several schools try it.\n2. **Good**: pupils hear back sooner.\n3. **Risk**: somebody has to check.'}\n\nThis is an example by the demo model, which has looked nothing up.`,
};

const REPORT = /报告|总结|\breport\b|\bsummar/i;
const RESEARCH =
  /^(?:帮我|请|麻烦)*(?:做|搞)(?:个|一个|一份|点|一下)?研究|^(?:please\s+)?(?:do|help me with)\s+(?:some|a|my)?\s*research\b/i;
const DEFAULT = /^(?:按默认来：|Go with the default:)/;

/** Returns the reply if the request is one of the two scenarios. */
export function project(prompt: ParsedPrompt): Reply | undefined {
  const words = isChinese(prompt.request) ? zh : en;
  const isAnswer = DEFAULT.test(prompt.request) || words.questions.some(({ text }) => prompt.request.includes(text));
  if (isAnswer) return research(prompt.request, words);
  if (prompt.asks && RESEARCH.test(prompt.request))
    return { text: `${words.ask}\n\n${block({ clarify: { default: words.guess, questions: words.questions } })}`, calls: [] };
  return REPORT.test(prompt.request) && prompt.tools.has('read_tasks') && prompt.tools.has('create_task')
    ? report(prompt, words)
    : undefined;
}

function research(answers: string, words: typeof zh): Reply {
  const chosen = words.questions.map(({ options }) => options.find((option) => answers.includes(option)));
  return { text: words.found(chosen[0] ?? words.guess, chosen[1] === words.questions[1]?.options[1]), calls: [] };
}

/** Writes a report, with a plan if the prompt asks for one. */
function report(prompt: ParsedPrompt, words: typeof zh): Reply {
  const of = (tool: string) => prompt.outcomes.findLast((outcome) => outcome.tool === tool);
  const [read, saved] = [of('read_tasks'), of('create_task')];
  const failure = [read, saved].find((outcome) => outcome && outcome.status !== 'success');
  if (failure) return { text: words.failed(failure.message), calls: [] };
  if (saved) return { text: words.saved(titleOf(read, words)), calls: [] };
  if (read) return { text: words.saving, calls: [{ name: 'create_task', arguments: { title: titleOf(read, words) } }] };
  const [look, compare, save] = words.steps;
  const steps = [
    { id: '1', title: look, tool: 'read_tasks', dependsOn: [] },
    { id: '2', title: compare, dependsOn: ['1'] },
    { id: '3', title: save, tool: 'create_task', dependsOn: ['2'] },
  ];
  return {
    text: prompt.plans ? `${words.plan}\n\n${block({ task_plan: { goal: words.goal, steps } })}` : words.plan,
    calls: [{ name: 'read_tasks', arguments: { view_context: prompt.view ?? `daily::${dayAfter(prompt, 0)}` } }],
  };
}

function titleOf(read: ResultInPrompt | undefined, words: typeof zh): string {
  const tasks = read?.tasks ?? [];
  const done = tasks.filter(({ completed }) => completed).length;
  return words.report(tasks.length - done, done);
}

const block = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
