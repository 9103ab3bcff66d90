/**
 * The system prompt: role · format · tools · rules · what is said in some turns only · goal. Same input, same text, byte for byte, and
 * what changes with a turn stands behind all that does not but the goal: a server's cache of the beginning stays valid.
 */
import { load } from '../base/load.js';
import { localDay } from '../base/days.js';
import { own } from '../base/objects.js';
import { neutralise } from '../protocols/neutralise.js';
import type { ToolProtocol } from '../protocols/protocol.js';
import { oneLine } from '../protocols/describe-parameters.js';
import { fillPlaces, findMacros, priorityOf, TOOLS_MARK, TOOLS_PRIORITY, type MacroUse, type PromptMacro } from './macros.js';
import { promptTextsFor } from './prompt-texts.js';
import { toolList, toolSection, type SectionTexts, type SectionOptions } from './tool-section.js';

export interface SystemPromptOptions extends SectionOptions {
  /** The host's own text. `{{tools}}` marks where format, tools and rules stand; else they follow the text. */
  systemPrompt?: string | undefined;
  /** Values of `{name}` in the host's text: its context. A line whose variable is unknown or empty is dropped. */
  variables?: Readonly<Record<string, unknown>>;
  /** Sections by protocol id; before `sections`. */
  templates?: Readonly<Record<string, SectionTexts>> | undefined;
  /** The host's macros by name, in `systemPrompt` and in sections. */
  macros?: ReadonlyMap<string, PromptMacro> | undefined;
  /** Milliseconds a macro may take. Default 5000. */
  macroTimeout?: number | undefined;
  /** Told which macro was left empty, and why. */
  warn?: ((message: string) => void) | undefined;
  /** Estimated tokens of the tool list above which it holds names only, and `describe_tool` tells the rest. 0 = never. */
  toolTokens?: number | undefined;
  /** Told when the prompt only names the tools: then a call of `describe_tool` has to be answered. */
  onPaged?: (() => void) | undefined;
  /** Name of the tool that the person has chosen: it has to be called. */
  lockedTool?: string | undefined;
  /** What a person writes to let a chain go on; said under `confirm-chain`. */
  confirmKeywords?: readonly string[] | undefined;
  /** Asks for a short plan first. */
  planFirst?: boolean | undefined;
  /** Asks to guess before asking, and teaches how to ask. */
  guessFirst?: boolean | undefined;
  /** Further sections: how far a plan is. */
  also?: readonly string[] | undefined;
}

/** Longest value of a variable, in UTF-16 units. */
const VALUE_CHARS = 1000;

export interface PromptCache {
  /** Never rejects because of a macro: one that fails, or is still running when `signal` aborts, is empty. */
  systemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string>;
  clear(): void;
  /** How often a section about tools was really built. */
  readonly built: number;
}

/**
 * Remembers the last few sections about tools: describing them costs most of a prompt, and they seldom change between two requests. The
 * key is the protocol and all that the section depends on, so that whatever changes builds it anew.
 */
export function createPromptCache(size = 8): PromptCache {
  let known: ({ protocol: ToolProtocol; key: string } & Written)[] = [];
  let built = 0;

  const remember: WriteSection = async (options) => {
    const { protocol, tools, lang, callsPerTurn, sections, counterExamples, wording, toolTokens, today = localDay(), variables } = options;
    const agentId = own(variables, 'agentId');
    const key = JSON.stringify([agentId, tools, lang, callsPerTurn, sections, counterExamples, wording, toolTokens, today]);
    let entry = known.find((each) => each.protocol === protocol && each.key === key);
    if (!entry) {
      built += 1;
      entry = { protocol, key, ...(await writeSection(options)) };
      known = [entry, ...known].slice(0, size);
    }
    return entry;
  };

  return {
    systemPrompt: (options, signal) => compose(options, signal, remember),
    clear: () => void (known = []),
    get built() {
      return built;
    },
  };
}

const cache = /* @__PURE__ */ createPromptCache();

/** The system prompt of a request. Tools described once are not described again as long as nothing about them changes. */
export function buildSystemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string> {
  return cache.systemPrompt(options, signal);
}

export function clearPromptCache(): void {
  cache.clear();
}

/** The same without a memory. */
export function composeSystemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string> {
  return compose(options, signal, writeSection);
}

/** Whether the prompt with these options names the tools only: then a call of `describe_tool` has to be answered. */
export async function isPaged(options: SystemPromptOptions): Promise<boolean> {
  return options.tools.length > 0 && isLong(await toolList(options), { ...options, sections: sectionsOf(options) });
}

interface Written {
  section: string;
  /** It only names the tools. */
  paged: boolean;
}

type WriteSection = (options: SystemPromptOptions) => Promise<Written>;

async function compose(options: SystemPromptOptions, signal = new AbortController().signal, write: WriteSection): Promise<string> {
  const { systemPrompt = '', macros } = options;
  const values = new Map<string, string>();
  const run = runningMacros(options, values, signal);
  const writeTools = async () => {
    const sections = await fill(options, values, run);
    const written = await write({ ...options, sections });
    if (written.paged) options.onPaged?.();
    return written.section;
  };

  const uses = findMacros(systemPrompt, macros);
  await run(uses.filter((use) => priorityOf(use) > TOOLS_PRIORITY));
  const section = options.tools.length > 0 ? await writeTools() : undefined;
  await run(uses);
  const host = readTemplate(options, values);
  const more = additions(options).join('\n\n');
  // What the host wrote behind its tools stays the last word: that is its goal.
  if (section !== undefined && host.endsOpen) return host.around([section, more].filter(Boolean).join('\n\n'));
  return [section === undefined ? host.without : host.around(section), more].filter(Boolean).join('\n\n');
}

type RunMacros = (uses: MacroUse[]) => Promise<void>;

/** Few pages have any. */
function runningMacros(options: SystemPromptOptions, values: Map<string, string>, signal: AbortSignal): RunMacros {
  const { protocol, variables: context = {}, macroTimeout: timeout, warn = () => {} } = options;
  return async (uses) => {
    if (uses.length === 0) return;
    const { runMacros } = await load(() => import('./run-macros.js'));
    await runMacros(uses, values, { context, protocol: protocol.id, signal, warn, timeout });
  };
}

/** The host's sections for this protocol, macros filled in; `{{tools}}` is a mark. */
async function fill(options: SystemPromptOptions, values: Map<string, string>, run: RunMacros): Promise<SectionTexts> {
  const sections = Object.entries(sectionsOf(options)).filter(
    (entry): entry is [keyof SectionTexts, string] => typeof entry[1] === 'string',
  );
  await run(sections.flatMap(([, text]) => findMacros(text, options.macros)));
  return Object.fromEntries(sections.map(([name, text]) => [name, fillPlaces(text, values)]));
}

/** The same for somebody else who writes the prompt: `{{tools}}` is left to them. */
export async function fillSections(options: SystemPromptOptions, signal: AbortSignal): Promise<SectionTexts> {
  const values = new Map<string, string>();
  const sections = await fill(options, values, runningMacros(options, values, signal));
  return Object.fromEntries(Object.entries(sections).map(([name, text]) => [name, text.replaceAll(TOOLS_MARK, '{{tools}}')]));
}

async function writeSection(options: SystemPromptOptions): Promise<Written> {
  const list = await toolList(options);
  await options.breathe?.();
  if (!(await isLong(list, options))) return { section: toolSection(options, list), paged: false };
  const { pagedSection } = await load(() => import('./paging.js'));
  return { section: pagedSection({ ...options, toolTokens: options.toolTokens ?? 0 }), paged: true };
}

/** What the host wrote itself is never paged. */
async function isLong(list: string, { sections, toolTokens = 0 }: Pick<SystemPromptOptions, 'sections' | 'toolTokens'>): Promise<boolean> {
  // A token is a character at least: a short list needs no estimate, and what estimates is not loaded.
  if (toolTokens <= 0 || list.length <= toolTokens || sections?.tools !== undefined) return false;
  return (await load(() => import('./tokens.js'))).estimateTokens(list) > toolTokens;
}

function sectionsOf({ protocol, sections, templates = {} }: SystemPromptOptions): SectionTexts {
  return { ...sections, ...(Object.hasOwn(templates, protocol.id) && templates[protocol.id]) };
}

/** What is said in some turns only. */
function additions(options: SystemPromptOptions): string[] {
  const { tools, lang, callsPerTurn, confirmKeywords = [], lockedTool, planFirst, guessFirst, also = [] } = options;
  const texts = promptTextsFor(lang);
  const hasTools = tools.length > 0;
  return [
    hasTools && callsPerTurn === 'confirm-chain' && texts.confirm(confirmKeywords.map(oneLine).join(texts.list)),
    guessFirst && texts.guess,
    guessFirst && texts.clarify,
    planFirst && texts.planFormat,
    planFirst && texts.plan,
    ...also,
    hasTools && lockedTool && texts.locked(oneLine(lockedTool)),
  ].filter((text): text is string => typeof text === 'string' && text !== '');
}

interface Template {
  /** The host's text with the section about tools in its place. */
  around(section: string): string;
  /** The host's text alone. */
  without: string;
  /** Something of the host's stands behind the tools. */
  endsOpen: boolean;
}

function readTemplate(
  { systemPrompt = '', variables = {}, today = localDay() }: SystemPromptOptions,
  values: ReadonlyMap<string, string>,
): Template {
  const before: string[] = [];
  const after: string[] = [];
  let place: [left: string, right: string] | undefined;

  for (const line of systemPrompt.split('\n')) {
    let complete = true;
    const filled = fillPlaces(line, values, (name) => {
      const value = name === 'today' ? today : textOf(Object.hasOwn(variables, name) ? variables[name] : undefined);
      complete &&= value !== '';
      return value;
    });
    if (!complete) continue;
    const [left, ...rest] = filled.split(TOOLS_MARK);
    if (rest.length > 0 && !place) place = [left ?? '', rest.join('')];
    // A second mark names nothing: the tools stand in the prompt once.
    else (place ? after : before).push([left, ...rest].join(''));
  }

  const join = (middle: string[]) => [...before, ...middle, ...after].join('\n').trim();
  const [left, right] = place ?? [];
  return {
    endsOpen: place !== undefined && [right ?? '', ...after].some((line) => line.trim() !== ''),
    without: join(left || right ? [`${left ?? ''}${right ?? ''}`] : []),
    around: (section) => (place ? join([`${left ?? ''}${section}${right ?? ''}`]) : [join([]), section].filter(Boolean).join('\n\n')),
  };
}

/** A scalar as one harmless line; empty for everything else. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  return neutralise(
    String(value)
      .slice(0, VALUE_CHARS)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
  ).trim();
}
