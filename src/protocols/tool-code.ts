/** The protocol `tool-code`: `<tool_code>{"name": …, "arguments": {…}}</tool_code>`. Arguments keep their types. */
import type { ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';
import { toolCodeReader } from './tool-code/parser.js';
import { formatToolResults, generateToolDefinitions, rules, writeCall } from './tool-code/prompt.js';

export const toolCode: ToolProtocol = {
  ...toolCodeReader,
  generateToolDefinitions,
  formatToolResults,
  rules,
  writeCall,
  parseToolRequests: (finalText) => requestsOf(toolCodeReader.createParser, finalText),
};
