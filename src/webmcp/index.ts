/** What a page and its browser offer one another as tools: the door `tool-chat/webmcp`. */
export { connectWebMcp, type WebMcpConnection, type WebMcpOptions } from './connect-webmcp.js';
export { publishTools, type PublishingChat } from './publish-tools.js';
