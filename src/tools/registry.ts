/** The tools of one page. New tools only register here; nothing that runs them knows any by name (S0-49). */
import type { JsonSchema } from '../json-schema.js';
import { isStandardSchema, parametersOf } from './schema.js';
import type { ToolDefinition } from './tool.js';

/** What a protocol is told about a tool; fits `ToolDescription` of the protocols. */
export interface DescribedTool {
  toolId: string;
  toolName: string;
  methods: {
    name: string;
    displayName?: string;
    description: string;
    parameters?: JsonSchema;
    example?: object;
    agentCallable: true;
    risk?: 'query' | 'write' | 'danger';
    protocolConfig?: { vcpCommand?: string };
  }[];
}

export interface ToolRegistry {
  /** Goes up by one with every change: a key for whatever is derived from the list. */
  readonly version: number;
  /**
   * Returns what takes the tool away again (harmless when called twice).
   * @throws TypeError for a definition that cannot work, Error for a name or alias that is taken; both name the remedy.
   */
  register<Args, Data>(tool: ToolDefinition<Args, Data>): () => void;
  /** By its alias under the protocol, else by its own name; never by anything a plain object inherits. */
  get(name: string, protocolId?: string): ToolDefinition | undefined;
  has(name: string, protocolId?: string): boolean;
  /** In the order of registration; with `permissions` only those whose `requires` they cover. */
  list(filter?: { permissions?: readonly string[] | undefined }): ToolDefinition[];
  describe(tools: readonly ToolDefinition[], protocolId: string): DescribedTool[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** An alias may be in any script, but holds nothing that a notation uses as a border. */
const ALIAS = /^[^\s<>"'`&=「」]{1,64}$/;
const RISKS = ['query', 'write', 'danger'];

export function createRegistry(): ToolRegistry {
  const byName = new Map<string, ToolDefinition>();
  const byAlias = new Map<string, Map<string, ToolDefinition>>(); // protocol id -> alias -> tool
  let version = 0;

  function get(name: string, protocolId?: string): ToolDefinition | undefined {
    return (protocolId === undefined ? undefined : byAlias.get(protocolId)?.get(name)) ?? byName.get(name);
  }

  function register<Args, Data>(definition: ToolDefinition<Args, Data>): () => void {
    const tool = readDefinition(definition);
    const aliases = Object.entries(tool.aliases ?? {});

    const aliasTaken = [...byAlias.values()].some((names) => names.has(tool.name));
    if (byName.has(tool.name) || aliasTaken) throw taken(tool.name);
    for (const [protocolId, alias] of aliases) {
      if (alias !== tool.name && (byName.has(alias) || byAlias.get(protocolId)?.has(alias))) throw taken(alias);
    }

    byName.set(tool.name, tool);
    for (const [protocolId, alias] of aliases) {
      if (!byAlias.has(protocolId)) byAlias.set(protocolId, new Map());
      byAlias.get(protocolId)!.set(alias, tool);
    }
    version += 1;

    return () => {
      // The name may belong to a successor by now.
      if (byName.get(tool.name) !== tool) return;
      byName.delete(tool.name);
      for (const [protocolId, alias] of aliases) byAlias.get(protocolId)?.delete(alias);
      version += 1;
    };
  }

  return {
    get version() {
      return version;
    },
    register,
    get,
    has: (name, protocolId) => get(name, protocolId) !== undefined,
    list: ({ permissions } = {}) => [...byName.values()].filter((tool) => !permissions || isPermitted(tool, permissions)),
    describe: (tools, protocolId) => tools.map((tool) => describeTool(tool, protocolId)),
  };
}

/** Whether the page's permissions cover all that the tool requires (S0-82). */
export function isPermitted(tool: ToolDefinition, permissions: readonly string[] = []): boolean {
  return [tool.requires ?? []].flat().every((required) => permissions.includes(required));
}

/** What the model writes to call the tool. */
export function nameUnder(tool: ToolDefinition, protocolId: string): string {
  return tool.aliases && Object.hasOwn(tool.aliases, protocolId) ? tool.aliases[protocolId]! : tool.name;
}

function describeTool(tool: ToolDefinition, protocolId: string): DescribedTool {
  const parameters = parametersOf(tool);
  const vcpCommand = tool.aliases && Object.hasOwn(tool.aliases, 'vcp') ? tool.aliases['vcp'] : undefined;
  return {
    toolId: tool.name,
    toolName: tool.label ?? tool.name,
    methods: [
      {
        name: nameUnder(tool, protocolId),
        ...(tool.label !== undefined && { displayName: tool.label }),
        description: tool.description,
        ...(parameters && { parameters }),
        ...(tool.examples?.[0] && { example: tool.examples[0] }),
        agentCallable: true,
        ...(tool.risk && { risk: tool.risk }),
        ...(vcpCommand !== undefined && { protocolConfig: { vcpCommand } }),
      },
    ],
  };
}

/**
 * A frozen copy, each field read once: what was checked here is what is bound later, whatever happens to the host's object.
 * Methods keep that object as their `this`, so a tool may be an instance of a class.
 */
function readDefinition<Args, Data>(source: ToolDefinition<Args, Data>): ToolDefinition {
  if (typeof source !== 'object' || source === null) throw new TypeError('A tool is an object: { name, description, execute }.');
  const tool = {} as Record<string, unknown>;
  for (const field of FIELDS) {
    const value: unknown = source[field];
    if (value === undefined) continue;
    if (METHODS.has(field)) {
      if (typeof value !== 'function') throw new TypeError(`\`${field}\` of a tool is a function.`);
      tool[field] = value.bind(source) as unknown;
    } else tool[field] = value;
  }
  const { name, description, risk, aliases, parameters } = tool;

  if (typeof name !== 'string' || !NAME.test(name) || name in {}) {
    throw new TypeError(
      `"${String(name)}" cannot name a tool. Use a letter or "_", then up to 63 of letters, digits, "_" and "-", such as "create_task".`,
    );
  }
  if (typeof description !== 'string' || description.trim() === '') {
    throw new TypeError(`Tool "${name}" needs a \`description\`: one sentence that tells the model what it does.`);
  }
  if (!tool['execute']) throw new TypeError(`Tool "${name}" needs \`execute(args, context)\`.`);
  if (risk !== undefined && !RISKS.includes(risk as string)) {
    throw new TypeError(`\`risk\` of tool "${name}" is "query", "write" or "danger"; leave it out if unsure, then every call asks.`);
  }
  if (aliases !== undefined) {
    for (const alias of Object.values(aliases as object)) {
      if (typeof alias !== 'string' || !ALIAS.test(alias) || alias in {}) {
        throw new TypeError(
          `"${String(alias)}" cannot be an alias of tool "${name}". Use up to 64 characters without blanks, quotes and brackets.`,
        );
      }
    }
    tool['aliases'] = Object.freeze({ ...(aliases as object) });
  }
  if (parameters !== undefined && (typeof parameters !== 'object' || parameters === null) && !isStandardSchema(parameters)) {
    throw new TypeError(`\`parameters\` of tool "${name}" is a JSON Schema or a Standard Schema.`);
  }
  const frozen = Object.freeze(tool) as unknown as ToolDefinition;
  parametersOf(frozen); // a schema that cannot be described is the host's mistake, and is told at once
  return frozen;
}

const METHODS = new Set<string>(['describeCall', 'preview', 'onArguments', 'verify', 'undo', 'render', 'execute']);
const FIELDS = [
  ...(['name', 'description', 'parameters', 'risk', 'label', 'icon', 'resource', 'requires', 'idempotent', 'timeout', 'fallback'] as const),
  ...(['payload', 'examples', 'sensitive', 'untrusted', 'aliases'] as const),
  ...(['describeCall', 'preview', 'onArguments', 'verify', 'undo', 'render', 'execute'] as const),
];

function taken(name: string): Error {
  return new Error(
    `The tool name "${name}" is taken. Unregister the other tool first (\`registerTool\` returns the function), or choose another name.`,
  );
}
