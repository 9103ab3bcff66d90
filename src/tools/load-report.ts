/**
 * The report of a toolkit for the inspector: the operations that it left out, or describes less strictly than the service. It is a
 * non-enumerable mark on the schema of a tool, so copies of the schema lack it, while a copy of the definition (`{ ...tool, risk }`) and
 * the registry keep it.
 */
import type { ToolDefinition } from './tool.js';

export interface LoadReport {
  /** Host and port of the service. */
  host: string;
  groups: readonly { why: string; operations: readonly string[] }[];
}

/** A registered symbol, because a page may load two copies of this package. */
const REPORT = Symbol.for('tool-chat.load-report');

export function withReport(tool: ToolDefinition, report: LoadReport): ToolDefinition {
  if (tool.parameters) Object.defineProperty(tool.parameters, REPORT, { value: report });
  return tool;
}

/** Returns the reports of these tools, each once. */
export const reportsOf = (tools: readonly ToolDefinition[]): LoadReport[] => [
  ...new Set(tools.flatMap(({ parameters }) => (parameters as { [REPORT]?: LoadReport } | undefined)?.[REPORT] ?? [])),
];
