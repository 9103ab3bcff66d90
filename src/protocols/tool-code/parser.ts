/** The parser of `tool-code`: an object, or a list of them, between `<tool_code>` and `</tool_code>`. */
import { createJsonBlockParser, type JsonBlockFormat } from '../json/block.js';
import { JSON_WORDS, tagEnd } from '../json/block-ends.js';
import { repairTruncatedJson } from '../json/repair-truncated-json.js';
import { stripEchoedResults } from '../echoed-results.js';
import { toolCallEchoFormat } from '../json/echoed-results.js';
import type { ProtocolReader } from '../protocol.js';
import { matchBareTag, NO_MATCH } from '../scan.js';
import { createTextMode, type CreateNotation } from '../text-mode.js';

const blockEnd = tagEnd('</tool_code');

const blockFormat: JsonBlockFormat = {
  openers: '<',
  open(text, at) {
    const end = matchBareTag(text, at, '<tool_code');
    return end > NO_MATCH ? { end, blockEnd } : end;
  },
  depth: (frames) => (frames[0]?.list ? 1 : 0),
  innerFence: ['', ...JSON_WORDS],
};

export const createToolCodeParser: CreateNotation = (host) => createJsonBlockParser(blockFormat, host);

export const toolCodeReader: Required<ProtocolReader> = {
  id: 'tool-code',
  createParser: repairTruncatedJson((emit, options) =>
    createTextMode(stripEchoedResults([toolCallEchoFormat], createToolCodeParser), emit, options),
  ),
};
