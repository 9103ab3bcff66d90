/** The parser of `json-tool-calls`: an object with a list `tool_calls`, fenced or at the start of a line. */
import { createJsonBlockParser, type JsonBlockFormat } from '../json/block.js';
import { lineEnd, matchWords, openFence } from '../json/block-ends.js';
import { repairTruncatedJson } from '../json/repair-truncated-json.js';
import { stripEchoedResults } from '../echoed-results.js';
import { toolCallEchoFormat } from '../json/echoed-results.js';
import type { ProtocolReader } from '../protocol.js';
import { NO_MATCH } from '../scan.js';
import { createTextMode, type CreateNotation } from '../text-mode.js';

const blockFormat: JsonBlockFormat = {
  openers: '`~{',
  open(text, at, place) {
    if (text[at] !== '{') return openFence(text, at, place);
    // Without a fence the list has to come first, so that prose with braces is never held back for long.
    const found = place === 'line' ? matchWords(text, at, ['{', '"tool_calls"', ':', '[']) : NO_MATCH;
    return found > NO_MATCH ? { end: at, blockEnd: lineEnd } : found;
  },
  depth: (frames) => (frames[0]?.list ? NaN : frames[0]?.key === 'tool_calls' && frames[1]?.list ? 2 : -1),
  // No backtracking: nothing that may follow the blanks is itself a blank.
  sign: /["']?tool_calls["']?\s*:\s*\[/,
  nested: true,
  asksInFence: true,
};

export const createJsonToolCallsParser: CreateNotation = (host) => createJsonBlockParser(blockFormat, host);

export const jsonToolCallsReader: Required<ProtocolReader> = {
  id: 'json-tool-calls',
  createParser: repairTruncatedJson((emit, options) =>
    createTextMode(stripEchoedResults([toolCallEchoFormat], createJsonToolCallsParser), emit, options),
  ),
};
