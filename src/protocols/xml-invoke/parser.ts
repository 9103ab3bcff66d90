/** The parser of `xml-invoke`, without the prompt: a chat without tools needs only this. */
import { markedEchoFormat, stripEchoedResults } from '../echoed-results.js';
import { matchBareTag, matchTagStart } from '../scan.js';
import type { ProtocolReader } from '../protocol.js';
import { createTextMode } from '../text-mode.js';
import { createXmlInvokeParser } from './block-grammar.js';

export { createXmlInvokeParser };

export const xmlEchoFormat = markedEchoFormat(
  (text, at) => matchTagStart(text, at, '<tool_result'),
  (text, at) => matchBareTag(text, at, '</tool_result'),
);

export const xmlInvokeReader: Required<ProtocolReader> = {
  id: 'xml-invoke',
  createParser: (emit, options) => createTextMode(stripEchoedResults([xmlEchoFormat], createXmlInvokeParser), emit, options),
};
