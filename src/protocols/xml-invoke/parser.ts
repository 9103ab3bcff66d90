/** The parser of `xml-invoke`, without the prompt: a chat without tools needs only this. */
import { markedEcho, withoutEchoes } from '../echoed-results.js';
import { matchBareTag, matchTagStart } from '../scan.js';
import type { ProtocolReader } from '../protocol.js';
import { createTextMode } from '../text-mode.js';
import { createXmlInvokeReader } from './block-grammar.js';

export { createXmlInvokeReader as xmlInvokeNotation };

export const xmlEcho = markedEcho(
  (text, at) => matchTagStart(text, at, '<tool_result'),
  (text, at) => matchBareTag(text, at, '</tool_result'),
);

export const xmlInvokeReader: Required<ProtocolReader> = {
  id: 'xml-invoke',
  createParser: (emit, options) => createTextMode(withoutEchoes([xmlEcho], createXmlInvokeReader), emit, options),
};
