/** Publishes the host's tools to the browser's own agent. Its calls go through the same approval policy as the model's. */
import { discoverTools } from '../tools/discover.js';
import { parametersOf } from '../tools/schema.js';
import type { PublishedResult } from '../model/calls.js';
import type { ToolDefinition } from '../tools/tool.js';
import { modelContext, published } from './model-context.js';

/** Tools imported from the browser, which are not published back to it. */
export const importedTools = new WeakSet<object>();

/** The element or a conversation, whose tools are published. */
export interface PublishingChat {
  registerTool(tool: ToolDefinition, options?: { signal?: AbortSignal }): () => void;
  registerTools(source: object | readonly object[]): () => void;
  executeToolManually(tool: {
    type: 'tool_use';
    name: string;
    params: Record<string, unknown>;
    partial: boolean;
  }): Promise<PublishedResult>;
}

/**
 * Publishes tools to the browser. Calls from there are treated like all others: validated, approved, journaled and shown.
 *
 * @param tools tools that are already registered. Default: all tools that are registered from now on
 * @returns a function that withdraws them. Does nothing if the browser does not support WebMCP
 */
export function publishTools(chat: PublishingChat, tools?: Iterable<ToolDefinition>): () => void {
  const context = modelContext();
  if (!context?.registerTool) return () => undefined;
  const stop = new AbortController();

  function publish(tool: ToolDefinition): () => void {
    const one = new AbortController();
    if (importedTools.has(tool) || published.has(tool.name) || stop.signal.aborted) return () => undefined;
    const { name, description, label, risk, untrusted } = tool;
    const takeBack = () => {
      one.abort();
      published.delete(name);
    };
    published.add(name);
    stop.signal.addEventListener('abort', takeBack, { once: true });
    const offered = {
      ...{ name, description, inputSchema: parametersOf(tool) ?? { type: 'object', properties: {} } },
      ...(label !== undefined && { title: label }),
      annotations: { readOnlyHint: risk === 'query', consequentialHint: risk === 'danger', untrustedContentHint: untrusted === true },
      async execute(input: unknown) {
        const params = { ...(typeof input === 'object' ? input : {}) } as Record<string, unknown>;
        const { success, result } = await chat.executeToolManually({ type: 'tool_use', name, params, partial: false });
        // An exception would lose its message in the browser.
        return success ? result : { isError: true, content: [{ type: 'text', text: result }] };
      },
    };
    // Some browsers answer synchronously, some asynchronously. A name that the page already uses stays the page's.
    try {
      Promise.resolve(context!.registerTool!(offered, { signal: one.signal })).catch(takeBack);
    } catch {
      takeBack();
    }
    return takeBack;
  }

  if (tools) for (const tool of tools) publish(tool);
  else follow(chat, publish, stop.signal);
  return () => {
    stop.abort();
  };
}

/** Publishes tools as they are registered. There is no list of tools, so `registerTool` and `registerTools` are wrapped. */
function follow(chat: PublishingChat, publish: (tool: ToolDefinition) => () => void, signal: AbortSignal): void {
  const both = (offs: (() => void)[]) => () => {
    for (const off of offs) off();
  };
  const { registerTool, registerTools } = chat;
  const seen = {
    registerTool(tool: ToolDefinition, options?: { signal?: AbortSignal }): () => void {
      const off = registerTool.call(chat, tool, options);
      const back = publish(tool);
      options?.signal?.addEventListener('abort', back, { once: true });
      return both([off, back]);
    },
    registerTools(source: object | readonly object[]): () => void {
      const off = registerTools.call(chat, source);
      return both([off, ...discoverTools(source).map(publish)]);
    },
  };
  // Elements have accessors without setters, so the wrapper is an own property of the object.
  for (const name of ['registerTool', 'registerTools'] as const) {
    const before = Object.getOwnPropertyDescriptor(chat, name);
    Object.defineProperty(chat, name, { value: seen[name], writable: true, enumerable: before?.enumerable ?? false, configurable: true });
    signal.addEventListener('abort', () => {
      // Another wrapper may have been installed since.
      if (chat[name] !== seen[name]) return;
      if (before) Object.defineProperty(chat, name, before);
      else Reflect.deleteProperty(chat, name);
    });
  }
}
