/** Texts for the model about a tool list that only has names, in the prompt's language. */
import { inLanguage } from '../protocols/render-tool-docs.js';

const zh = {
  paged: (tool: string) => `以下工具只列出名称和简介。首次使用某个工具前，先调用 ${tool} 查看它的参数（可以一次查看多个）：`,
  describe: '返回工具的完整定义',
  names: '工具名称，用逗号分隔',
  unknown: (name: string) => `没有名为“${name}”的工具`,
};

const en: typeof zh = {
  paged: (tool) =>
    `Of the tools below only names and purposes are listed. Before you first use one, call ${tool} for its parameters (of several at once if you like):`,
  describe: 'Returns the full definitions of tools',
  names: 'names of tools, separated by commas',
  unknown: (name) => `There is no tool named “${name}”`,
};

export function pagingTextsFor(lang: string): typeof zh {
  return inLanguage(lang, zh, en);
}
