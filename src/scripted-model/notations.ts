/** The notations that the scripted model understands. */
import { jsonAction } from './notations/json-action.js';
import { jsonToolCalls } from './notations/json-tool-calls.js';
import type { ScriptedNotation } from './notations/notation.js';
import { toolCode } from './notations/tool-code.js';
import { vcp } from './notations/vcp.js';
import { xmlInvoke } from './notations/xml-invoke.js';

export const notations: readonly ScriptedNotation[] = [xmlInvoke, jsonAction, vcp, jsonToolCalls, toolCode];
