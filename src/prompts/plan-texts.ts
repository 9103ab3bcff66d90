/** Texts for the model about an active plan, in the prompt's language. */
import { inLanguage } from '../protocols/render-tool-docs.js';

const zh = {
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
};

const en: typeof zh = {
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
};

export function planTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
