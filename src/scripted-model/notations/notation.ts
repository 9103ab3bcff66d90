/** How the scripted model understands a notation: what a prompt that teaches it looks like, how calls are written, how results come back. */

/** A call as the model means it, before it is written down. */
export interface PlannedCall {
  name: string;
  arguments: Record<string, string>;
}

/** A call with values of the types its tool asks for, where the notation has types. */
export interface WrittenCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface TaughtParameter {
  name: string;
  required: boolean;
  /** As in JSON Schema, where the prompt says. */
  type?: string;
}

/** A tool as the prompt describes it. */
export interface TaughtTool {
  name: string;
  description: string;
  parameters: TaughtParameter[];
}

/** A result as it is told to the model. */
export interface ToldResult {
  /** Missing where only an id is told: results then come in the order of the calls. */
  name?: string;
  /** Missing where it is told in words only. */
  status?: string;
  /** What stands between the marks, as it came. */
  text: string;
}

export interface ScriptedNotation {
  id: string;
  /** Its values have types; without, all of them are written as strings. */
  isTyped: boolean;
  /** Whether a system prompt teaches this notation. */
  isTaught(system: string): boolean;
  readTools(system: string): TaughtTool[];
  write(calls: readonly WrittenCall[]): string;
  /** A call that ends, but that nobody may run. */
  writeBroken(call: WrittenCall): string;
  /** The names of the calls in an earlier reply, in order; '' for one that cannot be read. For notations whose results have no name. */
  readCalls?(text: string): string[];
  /** The results in a user message, and what else it says. */
  readResults(text: string): { results: ToldResult[]; rest: string };
}

/** A planned call with its values as the tool's parameters want them: `"2"` as 2 for an integer. */
export function typeValues({ name, arguments: planned }: PlannedCall, tool: TaughtTool | undefined): WrittenCall {
  const types = new Map(tool?.parameters.map((parameter) => [parameter.name, parameter.type]));
  return {
    name,
    arguments: Object.fromEntries(Object.entries(planned).map(([key, value]) => [key, typeValue(value, types.get(key))])),
  };
}

function typeValue(value: string, type: string | undefined): unknown {
  if ((type === 'number' || type === 'integer') && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type === 'array' && value.startsWith('[')) return JSON.parse(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/**
 * Takes out of `text` what stands between an opening and the next closing mark, where `read` makes something of it; the rest is what a
 * person would see.
 */
export function cutOut<Value>(
  text: string,
  [open, close]: readonly [open: string, close: string],
  read: (inside: string) => Value | undefined,
): { found: Value[]; rest: string } {
  const found: Value[] = [];
  let rest = '';
  let kept = 0;
  for (let at = 0; ;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return { found, rest: (rest + text.slice(kept)).trim() };
    const value = read(text.slice(start + open.length, end));
    at = value === undefined ? start + open.length : end + close.length;
    if (value === undefined) continue;
    found.push(value);
    rest += text.slice(kept, start);
    kept = at;
  }
}

/** The object that a JSON text holds. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
