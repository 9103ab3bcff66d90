/** The interface of a protocol: how the scripted model detects it in a prompt, writes its calls, and reads results. */

/** A call before it is written in a protocol. */
export interface PlannedCall {
  name: string;
  arguments: Record<string, string>;
}

/** A call with typed values, if the protocol has types. */
export interface WrittenCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface PromptParameter {
  name: string;
  required: boolean;
  /** The type as in JSON Schema, if the prompt states it. */
  type?: string;
}

/** A tool as the prompt describes it. */
export interface PromptTool {
  name: string;
  description: string;
  parameters: PromptParameter[];
}

/** A result as the model receives it. */
export interface PromptResult {
  /** Absent if results have only an id: they then come in the order of the calls. */
  name?: string;
  /** Absent if only the text tells the status. */
  status?: string;
  /** The text between the marks, unchanged. */
  text: string;
}

export interface ScriptedProtocol {
  id: string;
  /** True if values have types. Otherwise all of them are strings. */
  isTyped: boolean;
  /** Checks whether a system prompt describes this protocol. */
  isTaught(system: string): boolean;
  readTools(system: string): PromptTool[];
  write(calls: readonly WrittenCall[]): string;
  /** Writes a complete call that must not run. */
  writeBroken(call: WrittenCall): string;
  /**
   * Returns the tool names of the calls in an earlier reply, in order; '' for one that cannot be read. For protocols whose results have no
   * name.
   */
  readCalls?(text: string): string[];
  /** Returns the results in a user message, and its other text. */
  readResults(text: string): { results: PromptResult[]; rest: string };
}

/** Converts the values of a call to the types of the tool's parameters: `"2"` becomes 2 for an integer. */
export function typeValues({ name, arguments: planned }: PlannedCall, tool: PromptTool | undefined): WrittenCall {
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
 * Removes from `text` each part between an opening mark and the next closing mark that `read` accepts. `rest` is the text that the user
 * would see.
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

/** Parses a JSON object; undefined for other text. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
