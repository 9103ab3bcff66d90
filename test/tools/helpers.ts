import { en } from '../../src/i18n/en.js';
import type { LogEntry } from '../../src/base/log.js';
import { createLog, loadLog } from '../../src/base/logging.js';
import { type CheckedCall, prepareCall, type PrepareDeps } from '../../src/tools/prepare.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolDefinition } from '../../src/tools/tool.js';

await loadLog(); // entries are looked at right after they were written

export type Setup = PrepareDeps & { entries: LogEntry[] };

/** Everything a call needs, with the tools registered and each log entry kept. */
export function setUp(tools: ToolDefinition[] = [], more: Partial<PrepareDeps> = {}): Setup {
  const registry = createRegistry();
  for (const tool of tools) registry.register(tool);
  const entries: LogEntry[] = [];
  const log = createLog({ level: 'debug', emit: (entry) => entries.push(entry), logger: quiet });
  return { registry, coercion: 'schema', texts: en, log, sessionId: 'session-1', entries, ...more };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export const throws = (value: unknown) => () => {
  throw value;
};

export function tool(more: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name: 'echo', description: 'Gives back what it gets.', risk: 'query', execute: (args) => args, ...more };
}

export async function checkedCall(setup: PrepareDeps, args: unknown = {}, toolName = 'echo'): Promise<CheckedCall> {
  const prepared = await prepareCall({ requestId: 'call-1', toolName, args }, setup);
  if (prepared.type === 'refused') throw new Error(prepared.result.result);
  return prepared;
}
