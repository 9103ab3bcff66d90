/** The reading half of `xml-invoke`: all that a chat needs of it as long as there is nothing to teach. */
import { withoutEchoes } from '../echo.js';
import type { ProtocolReader } from '../protocol.js';
import { createTextMode } from '../text-mode.js';
import { createXmlInvokeReader } from './block-grammar.js';

export { createXmlInvokeReader as xmlInvokeNotation };

export const xmlInvokeReader: Required<ProtocolReader> = {
  id: 'xml-invoke',
  createParser: (emit, options) => createTextMode(withoutEchoes(['xml-invoke'], createXmlInvokeReader), emit, options),
};
