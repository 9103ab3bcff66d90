/** The system prompt: role · format · tools · rules · goal (S0-74). Same input, same text, byte for byte. */
import { neutralise } from '../protocols/neutralise.js';
import type { JsonSchema, RulesOptions, ToolDescription, ToolProtocol } from '../protocols/protocol.js';

export interface SystemPromptOptions {
  /** The host's own text. `{{tools}}` marks where format, tools and rules stand; else they follow the text. */
  systemPrompt?: string | undefined;
  protocol: ToolProtocol;
  /** Those the page's permissions allow (S0-82); none leaves the host's text alone. */
  tools: ToolDescription[];
  /** BCP 47; the language of what is generated. */
  lang: string;
  callsPerTurn: RulesOptions['callsPerTurn'];
  /** Values of `{name}` in the host's text: its context. A line whose variable is unknown or empty is dropped (S0-80). */
  variables?: Readonly<Record<string, unknown>>;
  /** Value of `{today}`. Default: the local date as `YYYY-MM-DD`. */
  today?: string;
  /** Instead of what is generated; an empty text leaves the section out. `behaviour` is added after the rules. */
  sections?: { format?: string; tools?: string; rules?: string; behaviour?: string } | undefined;
  /** Adds a labelled wrong example (S0-176). */
  counterExamples?: boolean | undefined;
}

/** Longest value of a variable, in UTF-16 units. */
const VALUE_CHARS = 1000;

/** Builds the text anew; `buildSystemPrompt` is this with a memory. */
export function composeSystemPrompt(options: SystemPromptOptions): string {
  const host = readTemplate(options);
  return options.tools.length === 0 ? host.without : host.around(toolSection(options));
}

export interface PromptCache {
  systemPrompt(options: SystemPromptOptions): string;
  clear(): void;
  /** How often a text was really built. */
  readonly built: number;
}

/** Remembers the last few texts: describing tools costs most of a prompt, and they seldom change between two requests (S0-154). */
export function createPromptCache(size = 8): PromptCache {
  let known: { protocol: ToolProtocol; key: string; text: string }[] = [];
  let built = 0;

  return {
    systemPrompt(options) {
      const { protocol, tools, lang, callsPerTurn, sections, counterExamples } = options;
      // The host's text with its values in place: a variable that is not used does not count.
      const host = readTemplate(options).around('{{tools}}');
      const key = JSON.stringify([host, tools, lang, callsPerTurn, sections, counterExamples]);
      let entry = known.find((each) => each.protocol === protocol && each.key === key);
      if (!entry) {
        built += 1;
        entry = { protocol, key, text: composeSystemPrompt(options) };
        known = [entry, ...known].slice(0, size);
      }
      return entry.text;
    },
    clear: () => void (known = []),
    get built() {
      return built;
    },
  };
}

const cache = /* @__PURE__ */ createPromptCache();

/** The system prompt of a request. Asked twice with the same options, it is built once. */
export function buildSystemPrompt(options: SystemPromptOptions): string {
  return cache.systemPrompt(options);
}

export function clearPromptCache(): void {
  cache.clear();
}

function toolSection({ protocol, tools, lang, callsPerTurn, sections = {}, counterExamples = false }: SystemPromptOptions): string {
  const taught = protocol.rules?.({ lang, callsPerTurn, counterExamples });
  const list = sections.tools ?? protocol.generateToolDefinitions(tools.map(harmless), { lang });
  return [sections.format ?? taught?.format, list, sections.rules ?? taught?.rules, sections.behaviour].filter(Boolean).join('\n\n');
}

interface Template {
  /** The host's text with the section about tools in its place. */
  around(section: string): string;
  /** The host's text alone. */
  without: string;
}

const MACRO_OR_VARIABLE = /\{\{(\w+)\}\}|\{([A-Za-z_]\w*)\}/g;

/** One pass over the text: what a variable brings in is never read again for macros or variables. */
function readTemplate({ systemPrompt = '', variables = {}, today = localDate(new Date()) }: SystemPromptOptions): Template {
  const before: string[] = [];
  const after: string[] = [];
  let place: [left: string, right: string] | undefined;

  for (const line of systemPrompt.split('\n')) {
    let complete = true;
    const filled = line.replace(MACRO_OR_VARIABLE, (source, macro: string | undefined, name: string | undefined) => {
      if (macro !== undefined) return macro === 'tools' ? MARK : source;
      const value = name === 'today' ? today : textOf(name !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined);
      complete &&= value !== '';
      return value;
    });
    if (!complete) continue;
    const [left, ...rest] = filled.split(MARK);
    if (rest.length > 0 && !place) place = [left ?? '', rest.join('')];
    // A second mark names nothing: the tools stand in the prompt once.
    else (place ? after : before).push([left, ...rest].join(''));
  }

  const join = (middle: string[]) => [...before, ...middle, ...after].join('\n').trim();
  const [left, right] = place ?? [];
  return {
    without: join(left || right ? [`${left ?? ''}${right ?? ''}`] : []),
    around: (section) => (place ? join([`${left ?? ''}${section}${right ?? ''}`]) : [join([]), section].filter(Boolean).join('\n\n')),
  };
}

/** Stands for `{{tools}}` while a line is filled; variables cannot bring it in, since control characters are taken out of them. */
const MARK = '\u0000';

/** A scalar as one harmless line; empty for everything else. */
function textOf(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return '';
  return neutralise(
    String(value)
      .slice(0, VALUE_CHARS)
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' '),
  ).trim();
}

function localDate(date: Date): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear())}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Descriptions may come from elsewhere: they neither close a section of the prompt nor open a new one (faults 109). */
function harmless(tool: ToolDescription): ToolDescription {
  return {
    ...tool,
    methods: tool.methods.map((method) => ({
      ...method,
      description: neutralise(method.description).replace(/^(?=#)/gm, '\\'),
      ...(method.parameters && { parameters: harmlessSchema(method.parameters) as JsonSchema }),
    })),
  };
}

function harmlessSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(harmlessSchema);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => {
      const prose = typeof value === 'string' && (keyword === 'description' || keyword === 'title');
      return [keyword, prose ? neutralise(value) : harmlessSchema(value)];
    }),
  );
}
