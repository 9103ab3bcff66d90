/** Sentences of the prompt that belong to no notation. In the prompt's language, which need not be the screen's. */
import { inLanguage } from '../protocols/tool-prompt.js';

const zh = {
  locked: (tool: string) => `用户已选定工具 ${tool}：必须调用该工具一次，不得改用其他工具。`,
  confirm: (keywords: string) =>
    `每次只执行一个工具。还需要下一个工具时，先说明将要做什么并停下，等待用户确认。只有当用户回复${keywords ? `确认关键字（${keywords}）` : '表示同意'}后才能继续；用户回复其他内容时，不要执行。`,
  plan: '先给简短计划',
  guess:
    '先猜测，再提问：先根据用户资料和上下文补全用户的意图；确实无法判断时，只问一到两个容易回答的问题，并给出选项和默认值。不要只回复“请补充”。',
  paged: (tool: string) => `以下工具只列出名称和简介。首次使用某个工具前，先调用 ${tool} 查看它的参数（可以一次查看多个）：`,
  describe: '返回工具的完整定义',
  names: '工具名称，用逗号分隔',
  unknown: (name: string) => `没有名为“${name}”的工具`,
  list: '、',
};

const en: typeof zh = {
  locked: (tool) => `The user has chosen the tool ${tool}: call it once, and no other tool instead of it.`,
  confirm: (keywords) =>
    `Only one tool runs at a time. When you need another one, say what it will do, then stop and wait for the user. Go on only after the user has ${keywords ? `replied with a confirmation word (${keywords})` : 'agreed'}; after any other reply, do not.`,
  plan: 'Give a short plan first',
  guess:
    'Guess first, then ask: complete what the user means from the user’s profile and the context. If you really cannot tell, ask one or two questions that are easy to answer, with options and a default. Never reply with a bare request for more details.',
  paged: (tool) =>
    `Of the tools below only names and purposes are listed. Before you first use one, call ${tool} for its parameters (of several at once if you like):`,
  describe: 'Returns the full definitions of tools',
  names: 'names of tools, separated by commas',
  unknown: (name) => `There is no tool named “${name}”`,
  list: ', ',
};

export function promptTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
