/**
 * Builds the system prompt: role · format · tools · rules · additions for some turns · goal. The same input gives the same text, byte for
 * byte, and everything that changes with a turn comes as late as possible, before the goal only, so that the server's prompt cache stays
 * valid.
 */
import { load } from '../base/load.js';
import { localDay } from '../base/days.js';
import { own } from '../base/objects.js';
import { neutralise } from '../protocols/neutralize.js';
import type { ToolProtocol } from '../protocols/protocol.js';
import { oneLine } from '../protocols/render-tool-docs.js';
import { fillPlaceholders, findMacros, priorityOf, TOOLS_MARK, TOOLS_PRIORITY, type MacroUse, type PromptMacro } from './macros.js';
import { promptTextsFor } from './prompt-texts.js';
import { toolList, toolSection, type SectionTexts, type SectionOptions } from './tool-section.js';

export interface SystemPromptOptions extends SectionOptions {
  /** The host's own text. `{{tools}}` marks the position of format, tools and rules; without it they follow the text. */
  systemPrompt?: string | undefined;
  /** Values of `{name}` in the host's text, from its context. A line whose variable is unknown or empty is dropped. */
  variables?: Readonly<Record<string, unknown>>;
  /** Sections by protocol id; they take precedence over `sections`. */
  templates?: Readonly<Record<string, SectionTexts>> | undefined;
  /** The host's macros by name, in `systemPrompt` and in sections. */
  macros?: ReadonlyMap<string, PromptMacro> | undefined;
  /** The maximum duration of a macro in milliseconds. Default 5000. */
  macroTimeout?: number | undefined;
  /** Called with the name of a macro that gave no text, and the reason. */
  warn?: ((message: string) => void) | undefined;
  /** The estimated tokens of the tool list above which it only has names, and `describe_tool` returns the definitions. 0 = never. */
  toolTokens?: number | undefined;
  /** Called if the prompt lists names only: then calls of `describe_tool` have to be handled. */
  onPaged?: (() => void) | undefined;
  /** The name of the tool that the user has chosen: it has to be called. */
  lockedTool?: string | undefined;
  /** The words with which the user lets a chain continue; used with `confirm-chain`. */
  confirmKeywords?: readonly string[] | undefined;
  /** Asks the model to write a short plan first. */
  planFirst?: boolean | undefined;
  /** Asks the model to guess before it asks, and teaches how to ask. */
  guessFirst?: boolean | undefined;
  /** Further sections, such as the state of a plan. */
  also?: readonly string[] | undefined;
}

/** The maximum length of a variable's value, in UTF-16 units. */
const VALUE_CHARS = 1000;

export interface PromptCache {
  /** Never rejects because of a macro: one that fails, or is still running when `signal` aborts, gives an empty text. */
  systemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string>;
  clear(): void;
  /** The number of tool sections that were built rather than reused. */
  readonly built: number;
}

/**
 * Creates a cache of the last few tool sections: describing tools is most of the work of a prompt, and tools seldom change between two
 * requests. The key is the protocol and everything that the section depends on, so any change builds a new section.
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

/** Returns the system prompt of a request. Tool sections are cached while nothing about the tools changes. */
export function buildSystemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string> {
  return cache.systemPrompt(options, signal);
}

export function clearPromptCache(): void {
  cache.clear();
}

/** Returns the system prompt without a cache. */
export function composeSystemPrompt(options: SystemPromptOptions, signal?: AbortSignal): Promise<string> {
  return compose(options, signal, writeSection);
}

/** Checks whether the prompt with these options lists names only: then calls of `describe_tool` have to be handled. */
export async function isPaged(options: SystemPromptOptions): Promise<boolean> {
  return options.tools.length > 0 && isLong(await toolList(options), { ...options, sections: sectionsOf(options) });
}

interface Written {
  section: string;
  /** True if it lists names only. */
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
  // Text after the host's `{{tools}}` stays at the end, because it states the goal.
  if (section !== undefined && host.endsOpen) return host.around([section, more].filter(Boolean).join('\n\n'));
  return [section === undefined ? host.without : host.around(section), more].filter(Boolean).join('\n\n');
}

type RunMacros = (uses: MacroUse[]) => Promise<void>;

/** Loads the macro runner only if there are macros, because few pages use them. */
function runningMacros(options: SystemPromptOptions, values: Map<string, string>, signal: AbortSignal): RunMacros {
  const { protocol, variables: context = {}, macroTimeout: timeout, warn = () => {} } = options;
  return async (uses) => {
    if (uses.length === 0) return;
    const { runMacros } = await load(() => import('./run-macros.js'));
    await runMacros(uses, values, { context, protocol: protocol.id, signal, warn, timeout });
  };
}

/** Returns the host's sections for this protocol with macros filled in; `{{tools}}` becomes a mark. */
async function fill(options: SystemPromptOptions, values: Map<string, string>, run: RunMacros): Promise<SectionTexts> {
  const sections = Object.entries(sectionsOf(options)).filter(
    (entry): entry is [keyof SectionTexts, string] => typeof entry[1] === 'string',
  );
  await run(sections.flatMap(([, text]) => findMacros(text, options.macros)));
  return Object.fromEntries(sections.map(([name, text]) => [name, fillPlaceholders(text, values)]));
}

/** Returns the host's sections for a relay that writes the prompt: `{{tools}}` is left for the relay to fill. */
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

/** Checks whether a tool list is paged. A section that the host wrote itself never is. */
async function isLong(list: string, { sections, toolTokens = 0 }: Pick<SystemPromptOptions, 'sections' | 'toolTokens'>): Promise<boolean> {
  // A token has at least one character, so a short list does not need the estimator to be loaded.
  if (toolTokens <= 0 || list.length <= toolTokens || sections?.tools !== undefined) return false;
  return (await load(() => import('./tokens.js'))).estimateTokens(list) > toolTokens;
}

function sectionsOf({ protocol, sections, templates = {} }: SystemPromptOptions): SectionTexts {
  return { ...sections, ...(Object.hasOwn(templates, protocol.id) && templates[protocol.id]) };
}

/** Returns the parts that only some turns need. */
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
  /** Returns the host's text with the tool section inserted. */
  around(section: string): string;
  /** The host's text without a tool section. */
  without: string;
  /** True if the host's text continues after the tools. */
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
    const filled = fillPlaceholders(line, values, (name) => {
      const value = name === 'today' ? today : textOf(Object.hasOwn(variables, name) ? variables[name] : undefined);
      complete &&= value !== '';
      return value;
    });
    if (!complete) continue;
    const [left, ...rest] = filled.split(TOOLS_MARK);
    if (rest.length > 0 && !place) place = [left ?? '', rest.join('')];
    // A second mark is ignored: the prompt contains the tools only once.
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

/** Returns a scalar as one neutralized line; empty for all other values. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  return neutralise(
    String(value)
      .slice(0, VALUE_CHARS)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
  ).trim();
}
