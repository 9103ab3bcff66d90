/** The public entry point `tool-chat/webmcp`: exchanges tools between a page and its browser. */
export { connectWebMcp, type WebMcpConnection, type WebMcpOptions } from './connect-webmcp.js';
export { publishTools, type PublishingChat } from './publish-tools.js';
