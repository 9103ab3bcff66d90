/** The protocol `tool-code`: `<tool_code>{"name": …, "arguments": {…}}</tool_code>`. Arguments keep their types. */
import { protocolOf } from './tool-requests.js';
import { toolCodeReader } from './tool-code/parser.js';
import * as prompt from './tool-code/prompt.js';

export const toolCode = protocolOf(toolCodeReader, prompt);
