/** The reading half of `xml-invoke`: all that a chat needs of it as long as there are no tools to teach. */
import type { ToolProtocol } from '../protocol.js';
import { createTextMode } from '../text-mode.js';
import { createXmlInvokeReader } from './reader.js';

export const createParser: NonNullable<ToolProtocol['createParser']> = (emit, options) =>
  createTextMode(createXmlInvokeReader, emit, options);
