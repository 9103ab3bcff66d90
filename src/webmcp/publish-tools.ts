/** The host's tools, offered to the browser's own agent: it gets no further than the model does, for its calls pass the same gate. */
import { discoverTools } from '../tools/discover.js';
import { parametersOf } from '../tools/schema.js';
import type { PublishedResult } from '../model/calls.js';
import type { ToolDefinition } from '../tools/tool.js';
import { modelContext, published } from './model-context.js';

/** What came from the browser does not go back to it. */
export const imported = new WeakSet<object>();

/** What is published: the element, or a conversation. */
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
 * Offers tools to the browser. A call from there is a call like any other: checked, asked, journalled and shown.
 *
 * @param tools those that are registered already. Default: all that are registered from now on
 * @returns takes them back. Where the browser has no such thing, nothing happens
 */
export function publishTools(chat: PublishingChat, tools?: Iterable<ToolDefinition>): () => void {
  const context = modelContext();
  if (!context?.registerTool) return () => undefined;
  const stop = new AbortController();

  function publish(tool: ToolDefinition): () => void {
    const one = new AbortController();
    if (imported.has(tool) || published.has(tool.name) || stop.signal.aborted) return () => undefined;
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
        // A tool that throws loses its words in the browser.
        return success ? result : { isError: true, content: [{ type: 'text', text: result }] };
      },
    };
    // Some browsers answer at once, some later; a name that is taken by the page stays the page's.
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

/** There is no list of tools to read: what is registered is seen on its way. */
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
  // Elements have accessors without setters: what stands in front of them is a property of the object itself.
  for (const name of ['registerTool', 'registerTools'] as const) {
    const before = Object.getOwnPropertyDescriptor(chat, name);
    Object.defineProperty(chat, name, { value: seen[name], writable: true, enumerable: before?.enumerable ?? false, configurable: true });
    signal.addEventListener('abort', () => {
      // Somebody may have put something else in front by now.
      if (chat[name] !== seen[name]) return;
      if (before) Object.defineProperty(chat, name, before);
      else Reflect.deleteProperty(chat, name);
    });
  }
}
