/** Replaces `{{name}}` and `{{name:args}}` in the host's text in one pass, so the output of a macro is never scanned for macros. */

/** The input of a macro. */
export interface MacroInfo {
  /** The host's `context`. */
  context: object;
  /** The text after the colon. */
  args?: string;
  /** The id of the prompt's protocol. */
  protocol: string;
  /** Aborted when the text is no longer needed. */
  signal: AbortSignal;
}

export type Macro = (info: MacroInfo) => string | Promise<string>;

/** A macro that a host registers under a name. */
export interface PromptMacro {
  execute: Macro;
  /** Macros with a higher priority run first, those with the same priority in parallel. Default 50; `{{tools}}` has 95. */
  priority?: number;
  description?: string;
  example?: string;
}

const DEFAULT_PRIORITY = 50;
/** The priority of `{{tools}}`, the only built-in macro. */
export const TOOLS_PRIORITY = 95;

/** Matches `{{name}}` and `{{name:args}}` (`args` without braces and line breaks), and variables such as `{name}`. */
const PLACEHOLDER = /\{\{(\w+)(?::([^{}\n]*))?\}\}|\{([A-Za-z_]\w*)\}/g;

/** A use of a registered macro in the text. */
export interface MacroUse {
  /** The text of the use. Macros with the same source run only once. */
  source: string;
  macro: PromptMacro;
  args?: string;
}

export function findMacros(text: string, macros: ReadonlyMap<string, PromptMacro> | undefined): MacroUse[] {
  const uses = new Map<string, MacroUse>();
  for (const [source, name = '', args] of text.matchAll(PLACEHOLDER)) {
    const macro = name === 'tools' ? undefined : macros?.get(name);
    if (macro) uses.set(source, { source, macro, ...(args !== undefined && { args }) });
  }
  return [...uses.values()];
}

export interface MacroContext extends MacroInfo {
  warn(message: string): void;
  /** Milliseconds; set by tests. */
  timeout?: number | undefined;
}

export function priorityOf({ macro }: Pick<MacroUse, 'macro'>): number {
  return macro.priority ?? DEFAULT_PRIORITY;
}

/** The character that replaces `{{tools}}` while a text is filled. It is removed from the host's text and from values. */
export const TOOLS_MARK = '\u0000';

/**
 * Inserts the values in one pass, and a mark for the tools. Unknown names are left unchanged.
 * @param variable returns the value of `{name}`; without it, variables are left unchanged as well
 */
export function fillPlaceholders(text: string, values: ReadonlyMap<string, string>, variable?: (name: string) => string): string {
  return text.replaceAll(TOOLS_MARK, '').replace(PLACEHOLDER, (source, macro: string | undefined, _args, name: string | undefined) => {
    if (macro === 'tools') return TOOLS_MARK;
    if (name !== undefined) return variable ? variable(name) : source;
    return values.get(source)?.replaceAll(TOOLS_MARK, '') ?? source;
  });
}
