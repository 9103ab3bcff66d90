/** The entry point `tool-chat/mcp`: tools from MCP servers. */
export { connectMcp } from './connect-mcp.js';
export type { AskSignIn, McpAuth, McpSignIn } from './sign-in.js';
export type { McpConnection, ToolHost } from './connect-mcp.js';
export type { McpOptions, McpTool } from './mcp-options.js';
export type { McpAnswer, McpQuestion } from './mcp-options.js';
