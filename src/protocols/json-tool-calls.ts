/** The protocol `json-tool-calls`: an object with a list `tool_calls`, fenced or at the start of a line. Arguments keep their types. */
import type { ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import { formatToolResults, generateToolDefinitions, rules, writeCall } from './json-tool-calls/prompt.js';

export const jsonToolCalls: ToolProtocol = {
  ...jsonToolCallsReader,
  generateToolDefinitions,
  formatToolResults,
  rules,
  writeCall,
  parseToolRequests: (finalText) => requestsOf(jsonToolCallsReader.createParser, finalText),
};
