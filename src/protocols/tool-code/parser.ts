/** The parser of `tool-code`: an object, or a list of them, between `<tool_code>` and `</tool_code>`. */
import type { JsonBlockFormat } from '../json/block.js';
import { JSON_WORDS, tagEnd } from '../json/block-ends.js';
import { toolCallEchoFormat, jsonReaderOf } from '../json/echoed-results.js';
import { matchBareTag, NO_MATCH } from '../scan.js';

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

export const toolCodeReader = jsonReaderOf('tool-code', blockFormat, toolCallEchoFormat);
