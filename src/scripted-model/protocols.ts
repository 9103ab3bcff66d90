/** The notations that the scripted model understands. */
import { jsonAction } from './protocols/json-action.js';
import { jsonToolCalls } from './protocols/json-tool-calls.js';
import type { ScriptedNotation } from './protocols/protocol.js';
import { toolCode } from './protocols/tool-code.js';
import { vcp } from './protocols/vcp.js';
import { xmlInvoke } from './protocols/xml-invoke.js';

export const notations: readonly ScriptedNotation[] = [xmlInvoke, jsonAction, vcp, jsonToolCalls, toolCode];
