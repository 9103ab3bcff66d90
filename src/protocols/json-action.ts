/**
 * The protocol `json-action`: a fenced block with one JSON object, `{"action": "tool_call", "name": …, "arguments": {…}}`. Arguments keep
 * their types.
 */
import type { ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';
import { jsonActionReader } from './json-action/parser.js';
import { formatToolResults, generateToolDefinitions, rules, writeCall } from './json-action/prompt.js';

export const jsonAction: ToolProtocol = {
  ...jsonActionReader,
  generateToolDefinitions,
  formatToolResults,
  rules,
  writeCall,
  parseToolRequests: (finalText) => requestsOf(jsonActionReader.createParser, finalText),
};
