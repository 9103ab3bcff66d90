/** The attribute `mcp`: the element is connected to a server while it is set. The MCP client is loaded with the first one. */
import { load } from '../base/load.js';
import type { Internals } from '../conversation/host/internals.js';
import type { AskSignIn, McpConnection, ToolHost } from '../mcp/index.js';

type McpServices = Pick<Internals, 'log' | 'notices'>;

const connections = new WeakMap<ToolHost, { url: unknown; connection?: Promise<McpConnection | undefined> }>();

type McpOptions = Readonly<Record<string, unknown>>;

/**
 * Connects to the server of the `mcp` option, or disconnects.
 *
 * @param more options of the element; URLs are relative to the page
 */
export function syncMcp(chat: ToolHost, options: McpOptions, lang: string, services: McpServices): void {
  const url = options['mcp'];
  const previous = connections.get(chat);
  if (url === (previous?.url ?? '')) return;
  void previous?.connection?.then((connection) => connection?.close());
  const connection = url === '' ? undefined : connect(chat, String(url), { lang, sandboxUrl: () => options['sandboxUrl'] }, services);
  connections.set(chat, { url, ...(connection && { connection }) });
}

async function connect(
  chat: ToolHost,
  url: string,
  options: { lang: string; sandboxUrl: () => unknown },
  { log, notices }: McpServices,
): Promise<McpConnection | undefined> {
  /** The sign-in request is shown in the chat. */
  const signIn: AskSignIn = (ask) => {
    const id = `mcp ${url}`;
    if (ask) notices.add({ id, text: () => ask.sentence, action: { label: () => ask.button, run: ask.press } });
    else notices.remove(id);
  };
  try {
    const { connectMcp } = await load(() => import('../mcp/index.js'));
    const logger = { ...log.forTool({}), warn: (message: string) => log.warn('mcp', message) };
    return await connectMcp(chat, url, { ...options, logger, signIn });
  } catch (error) {
    log.warn('mcp', 'A part of the widget could not be loaded: there are no tools of the MCP server', {}, { error });
    return undefined;
  }
}
