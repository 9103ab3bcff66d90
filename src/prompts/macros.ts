/** `{{name}}` and `{{name:args}}` in the host's text. One pass: what a macro brings in is never read again. */

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

export function priorityOf({ macro }: Pick<MacroUse, 'macro'>): number {
  return macro.priority ?? DEFAULT_PRIORITY;
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
