/** Sentences of the prompt that belong to no notation. In the prompt's language, which need not be the screen's. */
import { inLanguage } from '../protocols/describe-parameters.js';

const zh = {
  locked: (tool: string) => `用户已选定工具 ${tool}：必须调用该工具一次，不得改用其他工具。`,
  confirm: (keywords: string) =>
    `每次只执行一个工具。还需要下一个工具时，先说明将要做什么并停下，等待用户确认。只有当用户回复${keywords ? `确认关键字（${keywords}）` : '表示同意'}后才能继续；用户回复其他内容时，不要执行。`,
  plan: '先给简短计划',
  planFormat:
    '这个请求较长或包含多个目标：回复以一个计划开头，写成下面这样的 JSON 代码块，然后立即执行第一步。steps 不超过 20 个；tool 和 input 只写在需要工具的步骤里；dependsOn 列出必须先完成的步骤的 id。\n```json\n{"task_plan": {"goal": "目标", "steps": [{"id": "1", "title": "步骤", "tool": "工具名称", "input": {}, "dependsOn": []}, {"id": "2", "title": "步骤", "dependsOn": ["1"]}]}}\n```',
  planState: (plan: string) =>
    `正在执行的计划（带工具的步骤的状态由系统根据调用结果更新）：\n${plan}\n按依赖顺序继续未完成的步骤，不要重复已完成的步骤；依赖的步骤失败后，后续步骤会被跳过。计划需要改变时，重新写一个 task_plan 代码块，保留原有步骤的 id。`,
  planInvalid: (problem: string) => `invalid_format：task_plan 无法使用（${problem}）。请重新写出修正后的代码块，然后继续。`,
  planProblems: {
    json: () => '不是合法的 JSON',
    end: () => '没有写完',
    behind: () => '代码块中 JSON 之后还有其他内容',
    shape: (field: string) => (field ? `字段 ${field} 缺失或不符合要求` : '结构不符合要求'),
    none: () => '至少需要一个步骤',
    twice: (id: string) => `有两个步骤的 id 都是“${id}”`,
    unknown: (id: string, other: string) => `步骤“${id}”依赖的“${other}”不存在`,
    circle: (id: string) => `步骤“${id}”直接或间接地依赖自己`,
  } as Record<string, (...parts: string[]) => string>,
  planUnknownTools: (names: string) => `没有名为 ${names} 的工具：相应的步骤请直接完成，或改用现有的工具。`,
  planGoOn: (title: string) => `现在执行计划，从这一步开始：${title}`,
  clarify:
    '需要提问时，在回复末尾写一个 JSON 代码块，给出默认做法和最多两个问题：\n```json\n{"clarify": {"default": "默认做法", "questions": [{"text": "问题", "options": ["选项一", "选项二"]}]}}\n```',
  guess:
    '先猜测，再提问：先根据用户资料和上下文补全用户的意图；确实无法判断时，只问一到两个容易回答的问题，并给出选项和默认值。不要只回复“请补充”。',
  paged: (tool: string) => `以下工具只列出名称和简介。首次使用某个工具前，先调用 ${tool} 查看它的参数（可以一次查看多个）：`,
  describe: '返回工具的完整定义',
  names: '工具名称，用逗号分隔',
  unknown: (name: string) => `没有名为“${name}”的工具`,
  list: '、',
  smallTalk: [
    ['这个怎么用？', '直接告诉我想做什么，我来完成。'],
    ['谢谢！', '不客气！'],
  ] as [asked: string, answered: string][],
  /** A result and how it is answered: of something that was looked up, and of something that was done. */
  done: ['成功', '好的，已经完成。'] as [result: string, answer: string],
  afterResults: '请用一句话告诉用户结果，不要重复上面的内容块。',
  afterMistake: '请改正后重新调用；如果做不到，请用一句话告诉用户原因。不要重复上面的内容块。',
};

const en: typeof zh = {
  locked: (tool) => `The user has chosen the tool ${tool}: call it once, and no other tool instead of it.`,
  confirm: (keywords) =>
    `Only one tool runs at a time. When you need another one, say what it will do, then stop and wait for the user. Go on only after the user has ${keywords ? `replied with a confirmation word (${keywords})` : 'agreed'}; after any other reply, do not.`,
  plan: 'Give a short plan first',
  planFormat:
    'This request is long or has several goals: begin the reply with a plan, as a JSON code block like the one below, then carry out its first step at once. No more than 20 steps; tool and input only where a step needs a tool; dependsOn lists the ids of the steps that have to be done first.\n```json\n{"task_plan": {"goal": "the goal", "steps": [{"id": "1", "title": "a step", "tool": "tool_name", "input": {}, "dependsOn": []}, {"id": "2", "title": "a step", "dependsOn": ["1"]}]}}\n```',
  planState: (plan) =>
    `The plan at work (the state of steps with a tool is kept by the system, from the results of calls):\n${plan}\nGo on with the steps that are not done, in the order of their dependencies, and repeat none that is; what depends on a failed step is skipped. To change the plan, write the task_plan block anew and keep the ids of its steps.`,
  planInvalid: (problem) =>
    `invalid_format: the task_plan could not be used (${problem}). Write the corrected block once more, then go on.`,
  planProblems: {
    json: () => 'it is not valid JSON',
    end: () => 'it has no end',
    behind: () => 'something follows the JSON in its block',
    shape: (field: string) => (field ? `the field ${field} is missing or does not fit` : 'its shape does not fit'),
    none: () => 'it needs a step at least',
    twice: (id: string) => `two steps have the id “${id}”`,
    unknown: (id: string, other: string) => `step “${id}” depends on “${other}”, which is no step`,
    circle: (id: string) => `step “${id}” depends on itself, directly or through others`,
  } as Record<string, (...parts: string[]) => string>,
  planUnknownTools: (names) => `There is no tool named ${names}: do these steps yourself, or with a tool that there is.`,
  planGoOn: (title) => `Carry out the plan now, beginning with: ${title}`,
  clarify:
    'To ask, end the reply with a JSON code block that has what you will do by default, and at most two questions:\n```json\n{"clarify": {"default": "what you will do", "questions": [{"text": "a question", "options": ["one", "another"]}]}}\n```',
  guess:
    'Guess first, then ask: complete what the user means from the user’s profile and the context. If you really cannot tell, ask one or two questions that are easy to answer, with options and a default. Never reply with a bare request for more details.',
  paged: (tool) =>
    `Of the tools below only names and purposes are listed. Before you first use one, call ${tool} for its parameters (of several at once if you like):`,
  describe: 'Returns the full definitions of tools',
  names: 'names of tools, separated by commas',
  unknown: (name) => `There is no tool named “${name}”`,
  list: ', ',
  smallTalk: [
    ['How does this work?', 'Just say what you want done, and I do it.'],
    ['Thanks!', 'You’re welcome!'],
  ],
  done: ['ok', 'That is done.'],
  afterResults: 'Tell the user in one sentence what came of it. Do not repeat the block.',
  afterMistake: 'Correct the call and send it again; if you cannot, tell the user in one sentence why. Do not repeat the block.',
};

export function promptTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
