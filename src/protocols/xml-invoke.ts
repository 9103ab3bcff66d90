/** `<tool_use><invoke name="…"><parameter name="…">…</parameter></invoke></tool_use>`: the `xml-invoke` protocol, read while it streams. */
import { protocolOf } from './tool-requests.js';
import { xmlInvokeReader } from './xml-invoke/parser.js';
import * as prompt from './xml-invoke/prompt.js';

/**
 * The protocol `xml-invoke`. All argument values are strings, verbatim. A call is emitted at its `</invoke>`. A call that breaks off is
 * `unclosed`, one whose value contained its own end tag is `malformed`; neither runs.
 */
export const xmlInvoke = protocolOf(xmlInvokeReader, prompt);
