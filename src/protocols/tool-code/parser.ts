/** The parser of `tool-code`: an object, or a list of them, between `<tool_code>` and `</tool_code>`. */
import { createJsonNotation, type JsonForm } from '../json/block.js';
import { JSON_WORDS, tagEnd } from '../json/block-ends.js';
import { mending } from '../json/repair-truncated-json.js';
import { withoutEchoes } from '../echoed-results.js';
import { toolCallEcho } from '../json/echoed-results.js';
import type { ProtocolReader } from '../protocol.js';
import { matchBareTag, NO_MATCH } from '../scan.js';
import { createTextMode, type CreateNotation } from '../text-mode.js';

const blockEnd = tagEnd('</tool_code');

const form: JsonForm = {
  openers: '<',
  open(text, at) {
    const end = matchBareTag(text, at, '<tool_code');
    return end > NO_MATCH ? { end, blockEnd } : end;
  },
  depth: (frames) => (frames[0]?.list ? 1 : 0),
  innerFence: ['', ...JSON_WORDS],
};

export const toolCodeNotation: CreateNotation = (host) => createJsonNotation(form, host);

export const toolCodeReader: Required<ProtocolReader> = {
  id: 'tool-code',
  createParser: mending((emit, options) => createTextMode(withoutEchoes([toolCallEcho], toolCodeNotation), emit, options)),
};
