/** The parser of `json-tool-calls`: an object with a list `tool_calls`, fenced or at the start of a line. */
import type { JsonBlockFormat } from '../json/block.js';
import { lineEnd, matchWords, openFence } from '../json/block-ends.js';
import { toolCallEchoFormat, jsonReaderOf } from '../json/echoed-results.js';
import { NO_MATCH } from '../scan.js';

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

export const jsonToolCallsReader = jsonReaderOf('json-tool-calls', blockFormat, toolCallEchoFormat);
