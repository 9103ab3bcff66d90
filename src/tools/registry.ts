/** The tools of one page. A new tool only has to register here; the code that runs tools knows none by name. */
import type { CallVerbs } from '../model/calls.js';
import { own } from '../base/objects.js';
import { isStandardSchema, parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';
import { callersOf, labelAmong, replacedOf, sourceOf, withMarksOf, type Callers } from './tool-source.js';

/** The switches that enable and disable tools. */
export interface ToolToggles {
  /** Switches by a tool's name, or by the id of its object. The name takes precedence. */
  toolToggles?: Readonly<Record<string, boolean>> | undefined;
  /** The setting of all other tools. Default: true. */
  defaultToolEnabled?: boolean | undefined;
}

export interface ToolFilter extends ToolToggles {
  /** The page's permissions. If absent, `requires` is ignored. */
  permissions?: readonly string[] | undefined;
}

export interface ToolRegistry {
  /** Increases with every change, as a cache key for data derived from the list. */
  readonly version: number;
  /**
   * Registers a tool. Returns a function that unregisters it (and may be called twice).
   *
   * @throws TypeError for an invalid definition, Error for a name or alias that is taken; both with a hint how to fix it
   */
  register<Args, Data>(tool: ToolDefinition<Args, Data>): () => void;
  /** Registers all tools or, if one throws, none. */
  registerAll(tools: readonly ToolDefinition[]): () => void;
  /**
   * Finds a tool by its alias in the protocol, else by its own name, else by a bare method name that only one tool has. Never finds a name
   * that plain objects inherit.
   */
  get(name: string, protocolId?: string): ToolDefinition | undefined;
  has(name: string, protocolId?: string): boolean;
  /** Returns all names that `has` accepts. */
  names(protocolId?: string): readonly string[];
  /** Returns the tools with this bare method name if there are several, so that `get` cannot choose one; otherwise none. */
  ambiguous(name: string): ToolDefinition[];
  /** Returns the label for the user. It differs from the labels and names of registered tools of other sources. */
  labelOf(tool: ToolDefinition): string;
  /** Returns the tools in the order of registration. With a filter, only those that pass it. */
  list(filter?: ToolFilter): ToolDefinition[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** An alias may use any script, but no character that a protocol uses as a delimiter. */
const ALIAS = /^[^\s<>"'`&=「」]{1,64}$/;
const RISKS: readonly unknown[] = [undefined, 'query', 'write', 'danger'];

export function createRegistry(): ToolRegistry {
  const tools = new Map<string, ToolDefinition>();
  let version = 0;
  let callers: { of: number; map: Callers } | undefined;

  const exactly = (name: string, protocolId?: string) =>
    [...tools.values()].find((tool) => nameUnder(tool, protocolId) === name) ?? tools.get(name);
  const byMethod = (name: string) => [...tools.values()].filter(({ origin }) => origin && origin.method === name);

  function get(name: string, protocolId?: string): ToolDefinition | undefined {
    const tool = exactly(name, protocolId);
    if (tool) return tool;
    const [only, another] = byMethod(name);
    return another ? undefined : only;
  }

  function register<Args, Data>(definition: ToolDefinition<Args, Data>): () => void {
    const tool = readDefinition(definition);
    const replaced = new Set<ToolDefinition>();
    const claim = (name: string, holder: ToolDefinition | undefined) => {
      if (!holder) return;
      if (replacedOf(tool) || !replacedOf(holder)) throw taken(name);
      replaced.add(holder);
    };
    claim(tool.name, tools.get(tool.name));
    for (const other of tools.values()) if (Object.values(other.aliases ?? {}).includes(tool.name)) claim(tool.name, other);
    for (const [protocolId, alias] of Object.entries(tool.aliases ?? {})) if (alias !== tool.name) claim(alias, exactly(alias, protocolId));

    for (const { name } of replaced) tools.delete(name);
    tools.set(tool.name, tool);
    version += 1;
    for (const other of replaced) replacedOf(other)?.();
    return () => {
      // The name may belong to a newer tool by now.
      if (tools.get(tool.name) !== tool) return;
      tools.delete(tool.name);
      version += 1;
    };
  }

  function registerAll(definitions: readonly ToolDefinition[]): () => void {
    const registered: (() => void)[] = [];
    const unregister = () => {
      for (const off of registered) off();
    };
    try {
      for (const definition of definitions) registered.push(register(definition));
    } catch (error) {
      unregister();
      throw error;
    }
    return unregister;
  }

  return {
    get version() {
      return version;
    },
    register,
    registerAll,
    get,
    has: (name, protocolId) => get(name, protocolId) !== undefined,
    names: (protocolId) =>
      [...tools.values()].flatMap((tool) => [nameUnder(tool, protocolId), tool.name, tool.origin?.method ?? []].flat()),
    labelOf(tool) {
      if (!sourceOf(tool)) return tool.label ?? tool.name;
      if (callers?.of !== version) callers = { of: version, map: callersOf(tools.values()) };
      return labelAmong(callers.map, tool);
    },
    ambiguous: (name) => (get(name) ? [] : byMethod(name)),
    list: (filter = {}) => [...tools.values()].filter((tool) => isUsable(tool, filter)),
  };
}

/** Returns the name by which the model calls the tool. */
export function nameUnder(tool: ToolDefinition, protocolId = ''): string {
  return (own(tool.aliases, protocolId) as string | undefined) ?? tool.name;
}

/** Checks whether the page's permissions cover all that the tool requires. */
export function isPermitted(tool: ToolDefinition, permissions: readonly string[] = []): boolean {
  return [tool.requires ?? []].flat().every((required) => permissions.includes(required));
}

/** Checks whether the tool is enabled. The switch of the tool takes precedence over that of its object, and that over the default. */
export function isEnabled(
  { name, origin }: Pick<ToolDefinition, 'name' | 'origin'>,
  { toolToggles, defaultToolEnabled = true }: ToolToggles,
): boolean {
  const said = own(toolToggles, name) ?? (origin && own(toolToggles, origin.id));
  return typeof said === 'boolean' ? said : defaultToolEnabled;
}

/** Checks whether a tool is permitted and enabled. Other tools are neither described to the model nor run. */
export function isUsable(tool: ToolDefinition, filter: ToolFilter): boolean {
  return isEnabled(tool, filter) && (!filter.permissions || isPermitted(tool, filter.permissions));
}

/**
 * Validates a definition and returns a frozen copy. Each field is read once, so the checked definition is the one that runs, even if the
 * host's object changes.
 *
 * Methods keep that object as their `this`, so a tool may be an instance of a class.
 */
function readDefinition<Args, Data>(source: ToolDefinition<Args, Data>): ToolDefinition {
  check(typeof source === 'object' && source !== null, `A tool is an object { name, description, execute }, got ${shown(source)}.`);
  const tool: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const value: unknown = source[field];
    if (value !== undefined) tool[field] = value;
  }
  const { name, description, risk, aliases, parameters } = tool;
  check(
    isName(name, NAME),
    `${shown(name)} cannot name a tool. Use a letter or "_", then up to 63 letters, digits, "_" and "-", such as "create_task".`,
  );
  const of = `of tool "${name}"`;
  for (const field of METHODS) {
    const method: unknown = source[field];
    if (method === undefined) continue;
    check(typeof method === 'function', `\`${field}\` ${of} must be a function, got ${shown(method)}.`);
    tool[field] = (method as () => unknown).bind(source);
  }
  check(typeof description === 'string' && description.trim(), `Tool "${name}" needs a \`description\` for the model.`);
  check(tool['execute'], `Tool "${name}" needs \`execute(args, context)\`.`);
  check(RISKS.includes(risk), `\`risk\` ${of} is "query", "write" or "danger", got ${shown(risk)}.`);
  if (aliases !== undefined) {
    for (const alias of Object.values(aliases as object))
      check(
        isName(alias, ALIAS),
        `"${String(alias)}" cannot be an alias ${of}. Use up to 64 characters without blanks, quotes and brackets.`,
      );
    tool['aliases'] = Object.freeze({ ...(aliases as object) });
  }
  if (tool['origin'] !== undefined) tool['origin'] = Object.freeze({ ...(tool['origin'] as object) });
  check(
    parameters === undefined || (typeof parameters === 'object' && parameters !== null) || isStandardSchema(parameters),
    `\`parameters\` ${of} is a JSON Schema or a Standard Schema, got ${shown(parameters)}.`,
  );
  if (tool['verbs'] !== undefined) tool['verbs'] = readVerbs(tool['verbs'], of);
  const frozen = Object.freeze(withMarksOf(source, tool as unknown as ToolDefinition));
  parametersOf(frozen); // throws now for a schema that cannot be described
  return frozen;
}

/** Longest text of a button, in characters. */
const VERB_CHARS = 40;

function readVerbs(verbs: unknown, of: string): CallVerbs {
  const { allow, deny } = Object(verbs) as Partial<CallVerbs>;
  const fits = (verb: unknown): verb is string => typeof verb === 'string' && verb.trim() !== '' && verb.length <= VERB_CHARS;
  check(
    fits(allow) && fits(deny) && allow.trim() !== deny.trim(),
    `\`verbs\` ${of} is { allow, deny }: two different texts of at most ${String(VERB_CHARS)} characters, such as "Delete task" and "Keep it".`,
  );
  return Object.freeze({ allow: allow.trim(), deny: deny.trim() });
}

const METHODS = ['describeCall', 'preview', 'simulate', 'onArguments', 'verify', 'undo', 'render', 'execute'] as const;
const FIELDS = [
  ...(['name', 'description', 'parameters', 'risk', 'label', 'icon', 'resource', 'requires', 'idempotent', 'timeout', 'fallback'] as const),
  ...(['payload', 'examples', 'sensitive', 'untrusted', 'aliases', 'origin', 'verbs'] as const),
];

/** Checks a name. Names that every object inherits are invalid: they would be found without being registered. */
function isName(name: unknown, pattern: RegExp): name is string {
  return typeof name === 'string' && pattern.test(name) && !(name in {});
}

function check(right: unknown, message: string): asserts right {
  if (!right) throw new TypeError(message);
}

/** Writes what a definition has in the place of a right value. */
function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : value === null ? 'null' : typeof value;
}

function taken(name: string): Error {
  return new Error(
    `The tool name "${name}" is taken. Unregister the other tool first (\`registerTool\` returns the function), or choose another name.`,
  );
}
