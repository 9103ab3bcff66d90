/** Tools from MCP servers: the door `tool-chat/mcp`. */
export { connectMcp } from './connect-mcp.js';
export type { AskSignIn, McpAuth, McpSignIn } from './sign-in.js';
export type { McpAnswer, McpConnection, McpOptions, McpQuestion, McpTool, ToolHost } from './connect-mcp.js';
