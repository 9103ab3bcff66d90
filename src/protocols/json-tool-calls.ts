/** The protocol `json-tool-calls`: an object with a list `tool_calls`, fenced or at the start of a line. Arguments keep their types. */
import { protocolOf } from './tool-requests.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import * as prompt from './json-tool-calls/prompt.js';

export const jsonToolCalls = protocolOf(jsonToolCallsReader, prompt);
