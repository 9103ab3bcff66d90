/** How the scripted model writes calls and reads results, for each notation that a prompt can teach. The next notation is one more entry. */
import { writeCall } from '../../protocols/xml-invoke.js';

/** A call as the model means it, before it is written down. */
export interface PlannedCall {
  name: string;
  arguments: Record<string, string>;
}

/** A tool as the prompt describes it. */
export interface TaughtTool {
  name: string;
  description: string;
  parameters: { name: string; required: boolean }[];
}

/** A result as it is told to the model. */
export interface ToldResult {
  name: string;
  status: string;
  /** What stands between the marks, as it came. */
  text: string;
}

export interface ScriptedNotation {
  id: string;
  /** Whether a system prompt teaches this notation. */
  isTaught(system: string): boolean;
  readTools(system: string): TaughtTool[];
  write(calls: readonly PlannedCall[]): string;
  /** A call that ends, but that nobody may run. */
  writeBroken(call: PlannedCall): string;
  /** The results in a user message, and what else it says. */
  readResults(text: string): { results: ToldResult[]; rest: string };
}

const RESULT_OPEN = '<tool_result';
const RESULT_CLOSE = '</tool_result>';

const xmlInvoke: ScriptedNotation = {
  id: 'xml-invoke',
  isTaught: (system) => system.includes('<tool_use>') && system.includes('<invoke name="'),
  readTools: readToolSections,
  write: (calls) => ['<tool_use>', ...calls.flatMap(writeInvoke), '</tool_use>'].join('\n'),
  writeBroken: (call) => ['<tool_use>', ...writeInvoke(call).toSpliced(-1, 0, 'and then </parameter>'), '</tool_use>'].join('\n'),

  readResults(text) {
    const results: ToldResult[] = [];
    let rest = '';
    let at = 0;
    for (;;) {
      const open = text.indexOf(RESULT_OPEN, at);
      const tagEnd = open < 0 ? -1 : text.indexOf('>', open);
      const close = tagEnd < 0 ? -1 : text.indexOf(RESULT_CLOSE, tagEnd);
      if (close < 0) return { results, rest: (rest + text.slice(at)).trim() };
      rest += text.slice(at, open);
      const tag = text.slice(open + RESULT_OPEN.length, tagEnd);
      results.push({ name: attribute(tag, 'name'), status: attribute(tag, 'status'), text: text.slice(tagEnd + 1, close).trim() });
      at = close + RESULT_CLOSE.length;
    }
  },
};

export const notations: readonly ScriptedNotation[] = [xmlInvoke];

function writeInvoke({ name, arguments: values }: PlannedCall): string[] {
  return writeCall(name, values).split('\n').slice(1, -1);
}

function attribute(tag: string, name: string): string {
  const start = tag.indexOf(` ${name}="`);
  if (start < 0) return '';
  const value = start + name.length + 3;
  return tag.slice(value, tag.indexOf('"', value));
}

/** Sections of the form `### name`, a description, `- parameter (required): …` (S0-79), in Chinese or English. */
function readToolSections(system: string): TaughtTool[] {
  const tools: TaughtTool[] = [];
  let tool: TaughtTool | undefined;
  for (const line of system.split('\n').map((raw) => raw.trim())) {
    const heading = /^### ([A-Za-z_][\w-]{0,63})$/.exec(line);
    if (heading) tools.push((tool = { name: heading[1]!, description: '', parameters: [] }));
    else if (line.startsWith('#') || /^(?:重要规则|Important rules)/.test(line)) tool = undefined;
    if (!tool) continue;
    const description = /^(?:描述|Description)[:：] ?(.*)$/.exec(line);
    if (description) tool.description = description[1]!;
    const parameter = /^- ([\w-]+) ?[(（]([^)）]*)[)）]/.exec(line);
    if (parameter) tool.parameters.push({ name: parameter[1]!, required: /必填|required/.test(parameter[2]!) });
  }
  return tools;
}
