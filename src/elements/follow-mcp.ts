/** The attribute `mcp`: connected while the element has one. What speaks with servers is loaded with the first. */
import { load } from '../base/load.js';
import type { Log } from '../base/logging.js';
import type { McpConnection, ToolHost } from '../mcp/index.js';

const followed = new WeakMap<ToolHost, { url: unknown; connection?: Promise<McpConnection | undefined> }>();

/** @param url of the element's option; relative to the page */
export function followMcp(chat: ToolHost, url: unknown, lang: string, log: Log): void {
  const before = followed.get(chat);
  if (url === (before?.url ?? '')) return;
  void before?.connection?.then((connection) => connection?.close());
  const connection = url === '' ? undefined : connect(chat, String(url), lang, log);
  followed.set(chat, { url, ...(connection && { connection }) });
}

async function connect(chat: ToolHost, url: string, lang: string, log: Log): Promise<McpConnection | undefined> {
  try {
    const { connectMcp } = await load(() => import('../mcp/index.js'));
    const logger = { ...log.forTool({}), warn: (message: string) => log.warn('mcp', message) };
    return await connectMcp(chat, url, { lang, logger });
  } catch (error) {
    log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
    return undefined;
  }
}
