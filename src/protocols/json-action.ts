/**
 * The protocol `json-action`: a fenced block with one JSON object, `{"action": "tool_call", "name": …, "arguments": {…}}`. Arguments keep
 * their types.
 */
import { protocolOf } from './tool-requests.js';
import { jsonActionReader } from './json-action/parser.js';
import * as prompt from './json-action/prompt.js';

export const jsonAction = protocolOf(jsonActionReader, prompt);
