/**
 * Sentences of the prompt that do not depend on the protocol. They are in the prompt's language, which may differ from the user
 * interface's.
 */
import { inLanguage } from '../protocols/render-tool-docs.js';

const zh = {
  locked: (tool: string) => `用户已选定工具 ${tool}：必须调用该工具一次，不得改用其他工具。`,
  confirm: (keywords: string) =>
    `每次只执行一个工具。还需要下一个工具时，先说明将要做什么并停下，等待用户确认。只有当用户回复${keywords ? `确认关键字（${keywords}）` : '表示同意'}后才能继续；用户回复其他内容时，不要执行。`,
  plan: '先给简短计划',
  planFormat:
    '这个请求较长或包含多个目标：回复以一个计划开头，写成下面这样的 JSON 代码块，然后立即执行第一步。steps 不超过 20 个；tool 和 input 只写在需要工具的步骤里；dependsOn 列出必须先完成的步骤的 id。\n```json\n{"task_plan": {"goal": "目标", "steps": [{"id": "1", "title": "步骤", "tool": "工具名称", "input": {}, "dependsOn": []}, {"id": "2", "title": "步骤", "dependsOn": ["1"]}]}}\n```',
  clarify:
    '需要提问时，在回复末尾写一个 JSON 代码块，给出默认做法和最多两个问题：\n```json\n{"clarify": {"default": "默认做法", "questions": [{"text": "问题", "options": ["选项一", "选项二"]}]}}\n```',
  guess:
    '先猜测，再提问：先根据用户资料和上下文补全用户的意图；确实无法判断时，只问一到两个容易回答的问题，并给出选项和默认值。不要只回复“请补充”。',
  list: '、',
  smallTalk: [
    ['这个怎么用？', '直接告诉我想做什么，我来完成。'],
    ['谢谢！', '不客气！'],
  ] as [asked: string, answered: string][],
  /** An example result of an action, and the reply to it. */
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
  clarify:
    'To ask, end the reply with a JSON code block that has what you will do by default, and at most two questions:\n```json\n{"clarify": {"default": "what you will do", "questions": [{"text": "a question", "options": ["one", "another"]}]}}\n```',
  guess:
    'Guess first, then ask: complete what the user means from the user’s profile and the context. If you really cannot tell, ask one or two questions that are easy to answer, with options and a default. Never reply with a bare request for more details.',
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
