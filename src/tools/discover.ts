/** Creates tools from objects that describe their own methods. Only methods marked as callable are used. */
import { ToolError } from '../base/errors.js';
import type { Texts } from '../i18n/en.js';
import { english } from '../i18n/english.js';
import type { JsonSchema } from '../model/json-schema.js';
import type { Log } from '../base/logging.js';
import { isObject, readField } from '../base/objects.js';
import { isEnabled, type ToolToggles } from './registry.js';
import type { StandardSchema, ToolDefinition } from './tool.js';

/** A method as `getMetadata()` describes it. */
export interface DiscoverableMethod {
  /** The name of a function of the object. It is called with one object that holds the arguments by name. */
  name: string;
  displayName?: string;
  description: string;
  parameters?: JsonSchema | StandardSchema;
  example?: object;
  /** True to make the method a tool. */
  agentCallable?: boolean;
  risk?: 'query' | 'write' | 'danger';
  protocolConfig?: {
    /** The tool's name in the protocol `vcp`. */
    vcpCommand?: string;
  };
}

export interface Discoverable {
  getMetadata(): { id: string; name?: string; methods: readonly DiscoverableMethod[] };
}

export interface DiscoverOptions extends ToolToggles {
  log?: Pick<Log, 'warn'>;
  texts?: () => Texts;
}

/**
 * Returns the tools of one or more objects, named `id_method`, for `registry.registerAll`. A definition as for `registerTool` is used as it
 * is. Any other object without `getMetadata` is skipped and logged.
 *
 * @throws TypeError for unusable metadata, with a hint how to fix it
 */
export function discoverTools(source: unknown, options: DiscoverOptions = {}): ToolDefinition[] {
  const objects: unknown[] = Array.isArray(source) ? source : [source];
  return objects.flatMap((object) => toolsOf(object, options)).filter((tool) => isEnabled(tool, options));
}

function toolsOf(object: unknown, options: DiscoverOptions): ToolDefinition[] {
  if (typeof readField(object, 'getMetadata') !== 'function') {
    if (typeof readField(object, 'execute') === 'function') return [object as ToolDefinition];
    options.log?.warn('tools.dropped', 'An object without `getMetadata()` or `execute()` offers no tools and was left out', {
      type: typeof object,
    });
    return [];
  }
  let metadata: unknown;
  try {
    metadata = (object as Discoverable).getMetadata();
  } catch (error) {
    throw unusable('it throws', error);
  }
  const { id, name, methods } = isObject(metadata) ? metadata : {};
  if (typeof id !== 'string' || !Array.isArray(methods)) throw unusable('`id` is a text and `methods` a list');
  const origin = { id, name: typeof name === 'string' ? name : id };
  return methods.flatMap((method: unknown) => {
    if (!isObject(method) || typeof method['name'] !== 'string') throw unusable(`each method of "${id}" is an object with a \`name\``);
    return method['agentCallable'] === true ? [toolOf(object as object, method as unknown as DiscoverableMethod, origin, options)] : [];
  });
}

function toolOf(
  object: object,
  { name: method, displayName, description, parameters, example, risk, protocolConfig }: DiscoverableMethod,
  origin: { id: string; name: string },
  { log, texts = () => english }: DiscoverOptions,
): ToolDefinition {
  const name = `${origin.id}_${method}`;
  const handler = (object as Record<string, unknown>)[method];
  if (typeof handler !== 'function') throw unusable(`"${origin.id}" has no function "${method}"`);
  const isPositional = handler.length > 1;
  if (isPositional) log?.warn('tools.positional', `Tool ${name}: ${texts().needsFacade(method)}`, { toolName: name });
  const vcp = protocolConfig?.vcpCommand;
  return {
    name,
    description,
    origin: { ...origin, method },
    ...(displayName !== undefined && { label: displayName }),
    ...(parameters !== undefined && { parameters: parameters as JsonSchema }),
    ...(example !== undefined && { examples: [example as Record<string, unknown>] }),
    ...(risk !== undefined && { risk }),
    ...(vcp !== undefined && { aliases: { vcp } }),
    execute(args) {
      if (isPositional) {
        const error = new ToolError(texts().toolMissing, { code: 'EXECUTION_FAILED', errorType: 'invalid_format' });
        throw Object.assign(error, { modelMessage: texts().needsFacade(method) });
      }
      return handler.call(object, args) as unknown;
    },
  };
}

function unusable(problem: string, cause?: unknown): TypeError {
  return new TypeError(
    `\`getMetadata()\` cannot be used: ${problem}. Let it answer { id, name?, methods: [{ name, description, parameters?, agentCallable: true }] }.`,
    { cause },
  );
}
