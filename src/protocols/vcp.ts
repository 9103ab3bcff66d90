/** The protocol `vcp`: `<<<[TOOL_REQUEST]>>>` … `<<<[END_TOOL_REQUEST]>>>` with fields `key:「始」value「末」`. All argument values are strings, trimmed. */
import type { ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';
import { vcpReader } from './vcp/parser.js';
import { formatToolResults, generateToolDefinitions, rules, writeCall } from './vcp/prompt.js';

export const vcp: ToolProtocol = {
  ...vcpReader,
  generateToolDefinitions,
  formatToolResults,
  rules,
  writeCall,
  parseToolRequests: (finalText) => requestsOf(vcpReader.createParser, finalText),
};
