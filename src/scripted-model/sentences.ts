/** The texts of the scripted model, in Chinese and English. The texts of the basic scenarios are fixed and must not change. */
import type { Task } from './parsed-prompt.js';

type Verb = 'create' | 'read' | 'complete' | 'reopen' | 'rename' | 'schedule' | 'delete' | 'tool';

/** Quotes a call as code. The fence is longer than any inside the call. */
export const quoteCall = (call: string): string => `\`\`\`\`text\n${call}\n\`\`\`\``;

/** The place where a new task appears. */
export type TaskPlace = { in: 'today' } | { in: 'day'; day: string } | { in: 'area' } | { in: 'staging' };

const list = (tasks: readonly Task[]) => tasks.map(({ title, completed }) => `- [${completed ? 'x' : ' '}] ${title}`).join('\n');

export const zh = {
  creating: (count: number) => (count === 1 ? '好的，我来帮你创建任务...' : `好的，我来帮你创建${count}个任务...`),
  created(count: number, place: TaskPlace) {
    if (count > 1) return `已经为你创建了${count}个任务。`;
    const seen = {
      today: '你可以在今日视图中看到它。',
      day: place.in === 'day' ? `安排在 ${place.day}。` : '',
      area: '你可以在当前区域中看到它。',
      staging: '你可以在暂存区中看到它。',
    };
    return `任务已经为你创建好了，${seen[place.in]}`;
  },
  createdSome: (done: string[], failed: string[], why: string) =>
    `创建了${done.length}个任务，${failed.length}个没有成功（${failed.join('、')}）：${why}`,
  missingTitle: '抱歉，创建任务失败了。请提供任务标题。',
  looking: '好的，我先查看一下任务。',
  lookingElsewhere: '这里没有找到，我再看看别的地方。',
  acting: (verb: Verb, titles: string[]) => `找到了，现在${verbsZh[verb]}${titles.map((title) => `「${title}」`).join('、')}。`,
  listed: (tasks: readonly Task[]) => {
    const done = tasks.filter(({ completed }) => completed).length;
    return `找到 ${tasks.length} 个任务${done ? `，其中 ${done} 个已完成` : ''}：\n\n${list(tasks)}`;
  },
  nothing: '这里没有任务。',
  noneCompleted: '没有已完成的任务，所以没有什么可以删除的。',
  notFound: (title: string, tasks: readonly Task[]) =>
    `我没有找到名为「${title}」的任务。${tasks.length ? `现有的任务：\n\n${list(tasks.slice(0, 10))}` : ''}`,
  whichOne: (title: string, tasks: readonly Task[]) => `有 ${tasks.length} 个任务与「${title}」相符，你指的是哪一个？\n\n${list(tasks)}`,
  noLast: '你指的是哪个任务？请告诉我它的标题。',
  completed: (titles: string[]) => `${quoteZh(titles)}已标记为完成，做得好！`,
  reopened: (titles: string[]) => `${quoteZh(titles)}已重新标记为未完成。`,
  renamed: (title: string, to: string) => `已经把「${title}」改名为「${to}」。`,
  scheduled: (title: string, day: string) => `已经把「${title}」安排到 ${day}。`,
  deleted: (titles: string[]) => `已经删除了${quoteZh(titles)}。`,
  denied: (verb: Verb) =>
    verb === 'delete'
      ? '好的，我不会删除任务了。'
      : verb === 'tool'
        ? '好的，我不会执行这个操作。'
        : `好的，我不会${verbsZh[verb]}任务了。`,
  deniedSome: (done: string[]) => `已经删除了${quoteZh(done)}，其余的我没有删除。`,
  stopped: '好的，已经停下来了，没有继续执行。',
  failed: (verb: Verb, why: string) => `抱歉，${verb === 'tool' ? '这个操作' : `${verbsZh[verb]}任务`}失败了：${why}`,
  cannot: (verb: Verb) => `抱歉，我现在没有可以${verbsZh[verb]}任务的工具。`,
  usingTool: (name: string) => `好的，我来使用 \`${name}\`。`,
  toolSaid: (message: string) => (message ? `完成了：${message}` : '完成了。'),
  /** `hasTasks`: the page has tools for tasks. */
  hello: (name: string, hasTasks: boolean) =>
    `你好${name ? `，${name}` : ''}！${hasTasks ? '我可以帮你创建、查看、完成、改名、安排和删除任务' : '我可以使用这个页面的工具'}。输入「帮助」看看例子。`,
  thanks: '不客气！还有什么需要我做的吗？',
  yourName: (name?: string) => (name ? `你叫${name}。` : '我还不知道你的名字。'),
  remembered: (lines: readonly string[]) =>
    lines.length > 0 ? `我记得：\n\n${lines.map((line) => `- ${line}`).join('\n')}` : '我还没有记住什么。',
  date: (day: string) => `今天是 ${day}。`,
  other: (hasTasks: boolean) =>
    `我是一个按脚本回答的演示模型，只听得懂几种说法。${hasTasks ? '试试「创建一个任务，标题是完成项目报告」，或者' : '请'}输入「帮助」。`,
  /** `example`: a call as the prompt teaches it. */
  help: (tools: string[], example: string | undefined, hasTasks: boolean) => `## 我能做什么

我是一个**按脚本回答**的演示模型：不联网，同样的话总有同样的回答。

${hasTasks ? TASKS_ZH : '说出工具做什么，值放在引号里，或写成「参数: 值」。'}

${tools.length ? `这个页面教了我 ${tools.length} 个工具：\n\n${tools.map((name) => `- \`${name}\``).join('\n')}` : '这个页面没有教我任何工具。'}

${example ? `调用工具时，我在回答里写这样的文字：\n\n${quoteCall(example)}\n` : '这里的工具调用不写在回答里，而是另外传送。\n'}
1. ~~悄悄执行~~ 每一步你都看得到
2. 危险的操作会先问你

> 输入 \`/fault help\`，看看我怎样故意出错。`,
};

export const en: typeof zh = {
  creating: (count) => (count === 1 ? "Sure, I'll create that task for you..." : `Sure, I'll create ${count} tasks for you...`),
  created(count, place) {
    if (count > 1) return `I have created ${count} tasks for you.`;
    const seen = {
      today: 'You can find it in the today view.',
      day: place.in === 'day' ? `It is planned for ${place.day}.` : '',
      area: 'You can find it in this area.',
      staging: 'You can find it in staging.',
    };
    return `Your task has been created. ${seen[place.in]}`;
  },
  createdSome: (done, failed, why) => `I created ${done.length} of the tasks; ${failed.length} did not work (${failed.join(', ')}): ${why}`,
  missingTitle: 'Sorry, creating the task failed. Please give me a title for it.',
  looking: 'Sure, let me look at the tasks first.',
  lookingElsewhere: 'It is not here, let me look elsewhere.',
  acting: (verb, titles) => `Found it. Now I will ${verbsEn[verb]} ${quoteEn(titles)}.`,
  listed: (tasks) => {
    const done = tasks.filter(({ completed }) => completed).length;
    return `I found ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}${done ? `, ${done} of them done` : ''}:\n\n${list(tasks)}`;
  },
  nothing: 'There are no tasks here.',
  noneCompleted: 'There are no completed tasks, so there is nothing to delete.',
  notFound: (title, tasks) =>
    `I could not find a task called “${title}”.${tasks.length ? ` These are there:\n\n${list(tasks.slice(0, 10))}` : ''}`,
  whichOne: (title, tasks) => `${tasks.length} tasks match “${title}”. Which one do you mean?\n\n${list(tasks)}`,
  noLast: 'Which task do you mean? Please tell me its title.',
  completed: (titles) => `${quoteEn(titles)} is marked as done. Well done!`,
  reopened: (titles) => `${quoteEn(titles)} is open again.`,
  renamed: (title, to) => `I have renamed “${title}” to “${to}”.`,
  scheduled: (title, day) => `I have planned “${title}” for ${day}.`,
  deleted: (titles) => `I have deleted ${quoteEn(titles)}.`,
  denied: (verb) =>
    verb === 'delete'
      ? "All right, I won't delete the task."
      : verb === 'tool'
        ? "All right, I won't do that."
        : `All right, I won't ${verbsEn[verb]} the task.`,
  deniedSome: (done) => `I have deleted ${quoteEn(done)} and left the others alone.`,
  stopped: 'All right, I stopped there.',
  failed: (verb, why) => `Sorry, ${verb === 'tool' ? 'that' : `the attempt to ${verbsEn[verb]} the task`} failed: ${why}`,
  cannot: (verb) => `Sorry, I have no tool here to ${verbsEn[verb]} tasks.`,
  usingTool: (name) => `Sure, I'll use \`${name}\`.`,
  toolSaid: (message) => (message ? `Done: ${message}` : 'Done.'),
  hello: (name, hasTasks) =>
    `Hello${name ? `, ${name}` : ''}! I can ${hasTasks ? 'create, list, complete, rename, schedule and delete tasks' : 'use the tools of this page'}. Say “help” for examples.`,
  thanks: "You're welcome! Is there anything else?",
  yourName: (name) => (name ? `Your name is ${name}.` : 'I do not know your name yet.'),
  remembered: (lines) => (lines.length > 0 ? `I remember:\n\n${lines.map((line) => `- ${line}`).join('\n')}` : 'I remember nothing yet.'),
  date: (day) => `Today is ${day}.`,
  other: (hasTasks) =>
    `I am a scripted demo model and understand only a few things. ${hasTasks ? 'Try “create a task titled Finish the report”, or say' : 'Say'} “help”.`,
  help: (tools, example, hasTasks) => `## What I can do

I am a **scripted** demo model: no network, and the same words always get the same answer.

${hasTasks ? TASKS_EN : 'Say what a tool does, or its name. Put values in quotes, or write “parameter: value”.'}

${tools.length ? `This page has taught me ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}:\n\n${tools.map((name) => `- \`${name}\``).join('\n')}` : 'This page has taught me no tools.'}

${example ? `To use a tool, I write text such as this in my answer:\n\n${quoteCall(example)}\n` : 'Calls of tools travel beside my answers here, not in their text.\n'}
1. ~~Acting in silence~~ You see every step
2. What is dangerous asks you first

> Say \`/fault help\` to see how I misbehave on purpose.`,
};

const TASKS_ZH = `| 你说 | 我做 |
|---|---|
| 创建一个任务，标题是完成项目报告 | 创建任务 |
| 帮我创建3个任务 | 一次创建三个 |
| 今天有什么任务？ | 列出任务 |
| 把买牛奶标记为完成 | 更新任务 |
| 把买牛奶改名为买豆浆 | 更新任务 |
| 把买牛奶安排到明天 | 安排日程 |
| 删除所有已完成的任务 | 先问你，再删除 |`;

const TASKS_EN = `| You say | I do |
|---|---|
| create a task titled Finish the report | create a task |
| create 3 tasks: milk, bread and eggs | create three at once |
| what's on today? | list tasks |
| mark Buy milk as done | update a task |
| rename Buy milk to Buy oat milk | update a task |
| move Buy milk to tomorrow | schedule it |
| delete all completed tasks | ask you, then delete |`;

const verbsZh: Record<Verb, string> = {
  create: '创建',
  read: '查看',
  complete: '完成',
  reopen: '重新打开',
  rename: '改名',
  schedule: '安排',
  delete: '删除',
  tool: '执行',
};
const verbsEn: Record<Verb, string> = {
  create: 'create',
  read: 'read',
  complete: 'complete',
  reopen: 'reopen',
  rename: 'rename',
  schedule: 'schedule',
  delete: 'delete',
  tool: 'run',
};

const quoteZh = (titles: string[]) => titles.map((title) => `「${title}」`).join('、');
const quoteEn = (titles: string[]) => titles.map((title) => `“${title}”`).join(', ');
