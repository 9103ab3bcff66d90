/** `document.modelContext` as browsers have it: not at all, as of the draft, or a little older. */
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';

/** A tool that the page offers to its browser. */
export interface OfferedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  /** What the page claims of it. */
  annotations: Readonly<Record<string, unknown>>;
  origin: string;
  /** As the browser wants it back. */
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

/** Undefined where the browser has none, or the page may not use it. */
export function modelContext(): ModelContext | undefined {
  const { document, navigator } = globalThis as { document?: object; navigator?: object };
  for (const place of [document, navigator]) {
    try {
      const found = (place as { modelContext?: unknown } | undefined)?.modelContext;
      if (typeof found === 'object' && found !== null) return found as ModelContext;
    } catch {
      // A policy of the page may forbid to look.
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

/** Up to Chrome 154 a text. */
function readSchema(schema: unknown): JsonSchema {
  if (isObject(schema)) return schema;
  try {
    const read: unknown = JSON.parse(String(schema));
    return isObject(read) ? read : {};
  } catch {
    return {};
  }
}

/** Whether the input has to be JSON text is told by how many arguments the function has. Never tried both ways: the tool could run twice. */
export function execute(context: ModelContext, { handle }: OfferedTool, args: object, signal: AbortSignal): Promise<string | null> {
  const isOlder = (context.executeTool?.length ?? 0) >= 2;
  return context.executeTool!(handle, isOlder ? JSON.stringify(args) : args, { signal });
}

/** Results are texts in every browser; JSON where it can be read as such. */
export function readOutcome(outcome: unknown): unknown {
  if (typeof outcome !== 'string') return outcome ?? undefined;
  if (!/^\s*[[{]/.test(outcome)) return outcome;
  try {
    return JSON.parse(outcome) as unknown;
  } catch {
    return outcome;
  }
}

/** What MCP calls a result, as tools of pages give it, too. */
export const isMcpResult = (value: unknown): value is Record<string, unknown> => Array.isArray(own(value, 'content'));

/** Names that are published from here: what comes back is no news. */
export const published = new Set<string>();
