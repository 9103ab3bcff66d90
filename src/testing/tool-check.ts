/**
 * Tries a page's own tools the way models do, and reports in words what would go wrong: schema against handler, slow, endless, throwing,
 * too much, cyclic, called twice, stopped; whether `preview` only looks, `undo` restores and `verify` tells the truth.
 */
import { messageOf } from '../base/plain.js';
import { createRandom } from './chunks.js';
import type { ReportFinding, ToolCheckOptions } from './test-context.js';
import { checkTool } from './try-tool.js';
import type { ToolDefinition } from '../tools/tool.js';
import { isObject, own } from '../base/objects.js';
import { english } from '../i18n/english.js';
import { fullEnglish } from '../i18n/en.js';
import { createRegistry } from '../tools/registry.js';
import { parametersOf } from '../tools/schema.js';
import { examplesOf } from '../tools/describe-tools.js';
import { validateArguments } from '../tools/validate.js';
import { fillDays, localDay } from '../base/days.js';

export type { ToolCheckOptions } from './test-context.js';

export interface ToolFinding {
  tool: string;
  /** Machine-readable code of the problem: `undo`, `preview`, `endless` … */
  fault: string;
  /** A sentence that says what is wrong and what to do. */
  message: string;
  /** The arguments with which the problem occurred. */
  args?: Readonly<Record<string, unknown>>;
}

export interface ToolReport {
  findings: readonly ToolFinding[];
  /** Tools that could not be checked completely, with the reasons. */
  notes: readonly { tool: string; message: string }[];
  tools: number;
  /** Number of tool runs. */
  tries: number;
  seed: number;
  /** The whole report as lines of text. */
  text: string;
}

/**
 * Checks the tools. Never rejects because of a tool's behavior.
 *
 * @example
 * const { findings, text } = await checkTools(tools, { run: 'all', state: () => db, reset: () => (db = structuredClone(sample)) });
 * if (findings.length > 0) throw new Error(text);
 */
export async function checkTools(tools: readonly ToolDefinition<never>[], options: ToolCheckOptions = {}): Promise<ToolReport> {
  const { run = 'queries', seed = Date.now() % 1_000_000 } = options;
  const all = tools as unknown as readonly ToolDefinition[];
  const findings: ToolFinding[] = [];
  const notes: { tool: string; message: string }[] = [];
  const paper = await runStaticChecks(all);
  let tries = 0;
  for (const [at, tool] of all.entries()) {
    const name = nameOf(tool, at);
    const seen = new Set<string>();
    const report: ReportFinding = (fault, message, args) => {
      if (seen.has(fault)) return;
      seen.add(fault);
      findings.push({ tool: name, fault, message: `${name} ${message}`, ...(args && { args }) });
    };
    const note = (message: string) => void notes.push({ tool: name, message: `${name} ${message}` });
    const { faults, usable } = paper[at]!;
    for (const [fault, message] of faults) report(fault, message);
    if (!usable) continue;
    if (run === 'none' || (run === 'queries' && tool.risk !== 'query')) {
      note("was not run: it may change something. With `run: 'all'`, and data for tests, it is.");
      continue;
    }
    try {
      tries += await checkTool(tool, { ...options, random: createRandom(seed + at) }, report, note);
    } catch (error) {
      note(`could not be tried to the end: ${messageOf(error)}`);
    }
  }
  return { findings, notes, tools: all.length, tries, seed, text: reportText(findings, notes, all.length, tries, seed) };
}

function nameOf(tool: unknown, at: number): string {
  const name = (tool as Partial<ToolDefinition> | null)?.name;
  return typeof name === 'string' && name ? name : `tool ${String(at + 1)}`;
}

function reportText(findings: readonly ToolFinding[], notes: ToolReport['notes'], tools: number, tries: number, seed: number): string {
  const count = (number: number, what: string) => `${String(number)} ${what}${number === 1 ? '' : 's'}`;
  const verdict = findings.length === 0 ? 'no fault was found' : count(findings.length, 'fault');
  const head = `${count(tools, 'tool')}, ${count(tries, 'run')} (seed ${String(seed)}): ${verdict}.`;
  const shown = (args: ToolFinding['args']) => (args ? `\n    with ${JSON.stringify(args).slice(0, 300)}` : '');
  return [head, ...findings.map(({ message, args }) => `✗ ${message}${shown(args)}`), ...notes.map(({ message }) => `· ${message}`)].join(
    '\n',
  );
}

/** Static checks of tools, which do not run them. */
fullEnglish();

interface StaticReport {
  faults: (readonly [fault: string, message: string])[];
  /** True if the tool could be registered. */
  usable: boolean;
}

async function runStaticChecks(tools: readonly ToolDefinition[]): Promise<StaticReport[]> {
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
