/** The parser of `xml-invoke`, without the prompt: a chat without tools needs only this. */
import { markedEchoFormat, readerOf } from '../echoed-results.js';
import { matchBareTag, matchTagStart } from '../scan.js';
import { createXmlInvokeParser } from './block-grammar.js';

const echo = markedEchoFormat(
  (text, at) => matchTagStart(text, at, '<tool_result'),
  (text, at) => matchBareTag(text, at, '</tool_result'),
);

export const xmlInvokeReader = readerOf('xml-invoke', createXmlInvokeParser, echo);
