/** `<tool_use><invoke name="…"><parameter name="…">…</parameter></invoke></tool_use>`: the notation of seed 000, read while it streams. */
import type { ParsedToolRequest, ToolProtocol } from './protocol.js';
import { createTextMode, readWhole } from './text-mode.js';
import { formatToolResults, generateToolDefinitions, rules } from './xml-invoke/prompt.js';
import { createXmlInvokeReader } from './xml-invoke/reader.js';

export { writeCall } from './xml-invoke/prompt.js';

/**
 * The protocol `xml-invoke` (S0-22 … S0-35, S0-41, S0-42). All argument values are strings, verbatim. A call is emitted at its `</invoke>`;
 * one that breaks off is `unclosed`, one whose value held its own end tag is `malformed`, and neither runs.
 */
export const xmlInvoke: ToolProtocol = {
  id: 'xml-invoke',
  generateToolDefinitions,
  formatToolResults,
  rules,
  createParser: (emit, options) => createTextMode(createXmlInvokeReader, emit, options),

  parseToolRequests(finalText) {
    const segments = readWhole((emit) => createTextMode(createXmlInvokeReader, emit), finalText);
    const requests: ParsedToolRequest[] = [];
    for (const segment of segments) {
      if (segment.type !== 'call' || segment.flags?.includes('quoted')) continue;
      requests.push({ requestId: segment.id, toolName: segment.name, rawBlock: segment.raw, args: segment.arguments });
    }
    return requests;
  },
};
