/** `<tool_use><invoke name="…"><parameter name="…">…</parameter></invoke></tool_use>`: the notation of seed 000, read while it streams. */
import type { ToolProtocol } from './protocol.js';
import { requestsOf } from './tool-requests.js';
import { xmlInvokeReader } from './xml-invoke/parser.js';
import { formatToolResults, generateToolDefinitions, rules, writeCall } from './xml-invoke/prompt.js';

export { writeCall } from './xml-invoke/prompt.js';

/**
 * The protocol `xml-invoke`. All argument values are strings, verbatim. A call is emitted at its `</invoke>`;
 * one that breaks off is `unclosed`, one whose value held its own end tag is `malformed`, and neither runs.
 */
export const xmlInvoke: ToolProtocol = {
  ...xmlInvokeReader,
  generateToolDefinitions,
  formatToolResults,
  rules,
  writeCall,
  parseToolRequests: (finalText) => requestsOf(xmlInvokeReader.createParser, finalText),
};
