/**
 * All that a toolkit left out of a service, or asks less strictly than the service does, for the inspector. It is marked on the schema of
 * a tool, where no copy of the schema has it: a copy of the definition (`{ ...tool, risk }`) keeps it, and so does a registry.
 */
import type { ToolDefinition } from './tool.js';

export interface LoadReport {
  /** Host and port of the service. */
  host: string;
  groups: readonly { why: string; operations: readonly string[] }[];
}

/** Registered, for a page may load two copies of this package. */
const REPORT = Symbol.for('tool-chat.load-report');

export function withReport(tool: ToolDefinition, report: LoadReport): ToolDefinition {
  if (tool.parameters) Object.defineProperty(tool.parameters, REPORT, { value: report });
  return tool;
}

/** The reports of these tools, each once. */
export const reportsOf = (tools: readonly ToolDefinition[]): LoadReport[] => [
  ...new Set(tools.flatMap(({ parameters }) => (parameters as { [REPORT]?: LoadReport } | undefined)?.[REPORT] ?? [])),
];
