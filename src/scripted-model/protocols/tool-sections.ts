/** Reads the tool list in the form that most prompts use. */
import type { PromptParameter, PromptTool } from './protocol.js';

/** Reads sections of the form `### name`, a description, `- parameter (required): …`, in Chinese or English. */
export function readToolSections(system: string): PromptTool[] {
  const tools: PromptTool[] = [];
  let tool: PromptTool | undefined;
  for (const line of system.split('\n').map((raw) => raw.trim())) {
    const heading = /^### ([\p{L}_][\p{L}\p{M}\p{N}_-]{0,63})$/u.exec(line);
    if (heading) tools.push((tool = { name: heading[1]!, description: '', parameters: [] }));
    else if (line.startsWith('#') || /^(?:重要规则|Important rules|规则：|Rules:|何时调用|When to call)/.test(line)) tool = undefined;
    if (!tool) continue;
    const description = /^(?:描述|Description)[:：] ?(.*)$/.exec(line);
    if (description) tool.description = description[1]!;
    const parameter = readParameter(line);
    if (parameter) tool.parameters.push(parameter);
  }
  return tools;
}

/** Reads a line such as `- quantity (optional): How many (integer)`. */
export function readParameter(line: string): PromptParameter | undefined {
  const [, name, need, rest = ''] = /^- ([\p{L}\p{M}\p{N}_-]+) ?[(（]([^)）]*)[)）][:：]?(.*)$/u.exec(line) ?? [];
  if (name === undefined || need === undefined) return undefined;
  const hint = rest.slice(Math.max(rest.lastIndexOf('('), rest.lastIndexOf('（')) + 1);
  const type = /^ ?(integer|number|boolean)\b/.exec(hint)?.[1];
  return { name, required: /必填|required/.test(need), ...(type && { type }) };
}
