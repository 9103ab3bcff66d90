/** Resolves the tools that a plan names. */
import type { PlanStep } from '../../model/plan.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { nameUnder } from '../../tools/registry.js';
import { bareName } from '../../tools/bare-name.js';

/**
 * Returns the steps with each tool under its name in this protocol. An unknown tool is removed from its step and listed in `unknown`: a
 * step that waited for it would block all others.
 */
export function resolveTools(
  steps: readonly PlanStep[],
  tools: readonly ToolDefinition[],
  protocolId: string,
): { steps: readonly PlanStep[]; unknown: readonly string[] } {
  const known = new Map<string, string>();
  for (const tool of tools) {
    const name = nameUnder(tool, protocolId);
    for (const spelling of [tool.origin?.method, ...Object.values(tool.aliases ?? {}), tool.name, name])
      if (spelling) known.set(bareName(spelling), name);
  }
  const exact = new Set(tools.map((tool) => nameUnder(tool, protocolId)));
  const unknown = new Set<string>();
  const resolved = steps.map((step): PlanStep => {
    if (step.tool === undefined || exact.has(step.tool)) return step;
    const tool = known.get(bareName(step.tool));
    if (tool !== undefined) return { ...step, tool };
    unknown.add(step.tool);
    const { tool: _, input: __, ...thought } = step;
    return thought;
  });
  return { steps: resolved, unknown: [...unknown] };
}
