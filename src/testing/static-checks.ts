/** Static checks of tools, which do not run them. */
import { isObject, own } from '../base/objects.js';
import { messageOf } from '../base/plain.js';
import { english } from '../i18n/english.js';
import { fullEnglish } from '../i18n/en.js';
import { createRegistry } from '../tools/registry.js';
import { parametersOf } from '../tools/schema.js';
import { examplesOf } from '../tools/tool-examples.js';
import type { ToolDefinition } from '../tools/tool.js';
import { validateArguments } from '../tools/validate.js';
import { fillDays, localDay } from '../base/days.js';

fullEnglish();

export interface StaticReport {
  faults: (readonly [fault: string, message: string])[];
  /** True if the tool could be registered. */
  usable: boolean;
}

export async function runStaticChecks(tools: readonly ToolDefinition[]): Promise<StaticReport[]> {
  const registry = createRegistry();
  const answers: StaticReport[] = [];
  const names = new Set(tools.map((tool: Partial<ToolDefinition> | undefined) => tool?.name));
  for (const tool of tools) {
    const faults: StaticReport['faults'] = [];
    answers.push({ faults, usable: false });
    try {
      registry.register(tool);
      parametersOf(tool);
    } catch (error) {
      faults.push(['definition', `cannot be registered: ${messageOf(error)}`]);
      continue;
    }
    answers.at(-1)!.usable = true;
    faults.push(...(await checkDefinition(tool, names)));
  }
  return answers;
}

async function checkDefinition(tool: ToolDefinition, names: ReadonlySet<string | undefined>): Promise<StaticReport['faults']> {
  const faults: StaticReport['faults'] = [];
  const { description, fallback, sensitive } = tool;
  if (description.trim().length < 5)
    faults.push(['description', 'does not say what it does: write one sentence, for the model knows nothing else of it.']);
  if (fallback !== undefined && !names.has(fallback)) faults.push(['fallback', `falls back to ${fallback}, which is none of these tools.`]);
  const root = parametersOf(tool);
  const properties = own(root, 'properties');
  const known = isObject(properties) ? Object.keys(properties) : [];
  const strange = (Array.isArray(sensitive) ? sensitive : []).filter((name) => !known.includes(name));
  if (strange.length > 0)
    faults.push(['sensitive', `calls ${strange.join(', ')} sensitive, which is no parameter: the value that was meant is not hidden.`]);
  const lost = [own(root, 'required') ?? []].flat().filter((name) => isObject(properties) && !known.includes(String(name)));
  if (lost.length > 0)
    faults.push(['required', `requires ${lost.join(', ')} and does not describe it: the model has to guess what it is.`]);
  for (const { args } of examplesOf(tool)) {
    const checked = await validateArguments(tool, fillDays(args, localDay()), english).catch((error: unknown) => ({
      ...{ ok: false as const, message: messageOf(error) },
    }));
    if (!checked.ok) faults.push(['example', `has an example that its own schema refuses: ${checked.message}`]);
  }
  return faults;
}
