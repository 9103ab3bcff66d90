/** Wraps `document.modelContext` for all browsers: without it, with the current draft, and with a slightly older version. */
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';

/** A tool that the page offers to its browser. */
export interface OfferedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  /** Hints from the page, which may be wrong. */
  annotations: Readonly<Record<string, unknown>>;
  origin: string;
  /** The object that the browser expects in calls. */
  handle: object;
}

interface PublishedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: object;
  annotations: Record<string, boolean>;
  execute(input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>;
}

export interface ModelContext extends EventTarget {
  getTools?(): Promise<unknown[]>;
  executeTool?(tool: object, input?: unknown, options?: { signal?: AbortSignal }): Promise<string | null>;
  registerTool?(tool: PublishedTool, options?: { signal?: AbortSignal }): Promise<void> | undefined;
}

/** Returns the context, or undefined if the browser has none or the page may not use it. */
export function modelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as { document?: object; navigator?: object };
  for (const place of [document, navigator]) {
    try {
      const found = (place as { modelContext?: unknown } | undefined)?.modelContext;
      if (typeof found === 'object' && found !== null) return found as ModelContext;
    } catch {
      // A permissions policy may forbid access.
    }
  }
  return undefined;
}

export async function offeredTools(context: ModelContext): Promise<OfferedTool[]> {
  const listed = await context.getTools?.();
  return (Array.isArray(listed) ? listed : []).flatMap((handle): OfferedTool[] => {
    if (typeof handle !== 'object' || handle === null) return [];
    const [name, title, description, schema, annotations, origin] = [
      ...(['name', 'title', 'description', 'inputSchema', 'annotations', 'origin'] as const),
    ].map((key): unknown => (handle as Record<string, unknown>)[key]);
    if (typeof name !== 'string' || !name) return [];
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    return [
      {
        ...{ name, title: text(title), description: text(description), origin: text(origin), handle },
        inputSchema: readSchema(schema),
        annotations: typeof annotations === 'object' && annotations !== null ? (annotations as Record<string, unknown>) : {},
      },
    ];
  });
}

/** Parses the schema, which is a JSON text up to Chrome 154. */
function readSchema(schema: unknown): JsonSchema {
  if (isObject(schema)) return schema;
  try {
    const read: unknown = JSON.parse(String(schema));
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/**
 * Calls a tool. The arity of the browser's function tells if the input has to be JSON text. Trying both ways is not safe, because the tool
 * could run twice.
 */
export function execute(context: ModelContext, { handle }: OfferedTool, args: object, signal: AbortSignal): Promise<string | null> {
  const isOlder = (context.executeTool?.length ?? 0) >= 2;
  return context.executeTool!(handle, isOlder ? JSON.stringify(args) : args, { signal });
}

/** Parses the result, which is a text in every browser, as JSON if possible. */
export function readOutcome(outcome: unknown): unknown {
  if (typeof outcome !== 'string') return outcome ?? undefined;
  if (!/^\s*[[{]/.test(outcome)) return outcome;
  try {
    return JSON.parse(outcome) as unknown;
  } catch {
    return outcome;
  }
}

/** Checks for a result in the MCP format, which tools of pages may return, too. */
export const isMcpResult = (value: unknown): value is Record<string, unknown> => Array.isArray(own(value, 'content'));

/** Names of the tools that this page publishes through us, so that they are not imported again. */
export const published = new Set<string>();
