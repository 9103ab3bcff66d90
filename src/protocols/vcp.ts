/** The protocol `vcp`: `<<<[TOOL_REQUEST]>>>` … `<<<[END_TOOL_REQUEST]>>>` with fields `key:「始」value「末」`. All argument values are strings, trimmed. */
import { protocolOf } from './tool-requests.js';
import { vcpReader } from './vcp/parser.js';
import * as prompt from './vcp/prompt.js';

export const vcp = protocolOf(vcpReader, prompt);
