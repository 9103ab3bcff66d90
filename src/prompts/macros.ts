/** `{{name}}` and `{{name:args}}` in the host's text (S2-45 … S2-49). One pass: what a macro brings in is never read again. */

/** What a macro is asked with. */
export interface MacroInfo {
  /** The host's `context`. */
  context: object;
  /** What stands behind the colon. */
  args?: string;
  /** Id of the protocol the prompt is for. */
  protocol: string;
  /** Aborted when the text is no longer waited for. */
  signal: AbortSignal;
}

export type Macro = (info: MacroInfo) => string | Promise<string>;

/** What a host registers under a name. */
export interface PromptMacro {
  execute: Macro;
  /** Higher runs earlier, equal ones run side by side. Default 50; `{{tools}}` has 95. */
  priority?: number;
  description?: string;
  example?: string;
}

const DEFAULT_PRIORITY = 50;
/** Of `{{tools}}`, the one macro that is built in. */
export const TOOLS_PRIORITY = 95;

/** Milliseconds a macro may take. */
const MACRO_TIMEOUT = 5000;

/** `{{name}}` or `{{name:args}}`, whose arguments hold neither braces nor line breaks; or a variable, `{name}`. */
const PLACE = /\{\{(\w+)(?::([^{}\n]*))?\}\}|\{([A-Za-z_]\w*)\}/g;

/** A macro the text names and the host has. */
export interface MacroUse {
  /** As it is written: the same source is run once. */
  source: string;
  macro: PromptMacro;
  args?: string;
}

export function findMacros(text: string, macros: ReadonlyMap<string, PromptMacro> | undefined): MacroUse[] {
  const uses = new Map<string, MacroUse>();
  for (const [source, name = '', args] of text.matchAll(PLACE)) {
    const macro = name === 'tools' ? undefined : macros?.get(name);
    if (macro) uses.set(source, { source, macro, ...(args !== undefined && { args }) });
  }
  return [...uses.values()];
}

export interface MacroSurroundings extends MacroInfo {
  warn(message: string): void;
  /** Milliseconds; a test's. */
  timeout?: number | undefined;
}

/** Runs what was found, by priority, and adds what came of it to `values`, by source. Never throws: a macro that fails or is too slow is empty. */
export async function runMacros(uses: readonly MacroUse[], values: Map<string, string>, around: MacroSurroundings): Promise<void> {
  const open = uses.filter(({ source }) => !values.has(source));
  const priorities = [...new Set(open.map(priorityOf))].sort((a, b) => b - a);
  for (const priority of priorities) {
    const group = open.filter((use) => priorityOf(use) === priority);
    const texts = await Promise.all(group.map((use) => runMacro(use, around)));
    group.forEach(({ source }, index) => values.set(source, texts[index] ?? ''));
  }
}

export function priorityOf({ macro }: Pick<MacroUse, 'macro'>): number {
  return macro.priority ?? DEFAULT_PRIORITY;
}

async function runMacro({ source, macro, args }: MacroUse, around: MacroSurroundings): Promise<string> {
  const { context, protocol, signal, warn, timeout = MACRO_TIMEOUT } = around;
  const controller = new AbortController();
  let giveUp = () => {};
  const given = new Promise<never>((_, reject) => {
    giveUp = () => {
      controller.abort();
      reject(new Error(signal.aborted ? 'no longer needed' : `nothing within ${timeout} ms`));
    };
  });
  const timer = setTimeout(giveUp, timeout);
  signal.addEventListener('abort', giveUp);
  try {
    if (signal.aborted) giveUp();
    const info: MacroInfo = { context, protocol, signal: controller.signal, ...(args !== undefined && { args }) };
    const value: unknown = await Promise.race([given, signal.aborted ? undefined : macro.execute(info)]);
    if (typeof value === 'string') return value;
    throw new Error('it did not return a text');
  } catch (error) {
    warn(`The macro ${source} was left empty: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

/** What `{{tools}}` becomes while a text is filled; nothing else brings in a control character. */
export const TOOLS_MARK = '\u0000';

/**
 * Puts the values in, in one pass, and a mark where the tools stand. What is unknown stays as it is written.
 * @param variable the value of `{name}`; left out, variables stay as well
 */
export function fillPlaces(text: string, values: ReadonlyMap<string, string>, variable?: (name: string) => string): string {
  return text.replaceAll(TOOLS_MARK, '').replace(PLACE, (source, macro: string | undefined, _args, name: string | undefined) => {
    if (macro === 'tools') return TOOLS_MARK;
    if (name !== undefined) return variable ? variable(name) : source;
    return values.get(source)?.replaceAll(TOOLS_MARK, '') ?? source;
  });
}
