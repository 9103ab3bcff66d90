/** The tools that a plan names, as they are called here. */
import type { PlanStep } from '../../model/plan.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { nameUnder } from '../../tools/registry.js';
import { bareName } from '../../tools/bare-name.js';

/**
 * The steps with each tool under the name that calls have in this notation. A tool that there is not is taken out of its step, and named in
 * `unknown`: a step that waits for it would keep all others waiting.
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
