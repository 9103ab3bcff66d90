/** The protocols that the scripted model understands. */
import { jsonAction } from './protocols/json-action.js';
import { jsonToolCalls } from './protocols/json-tool-calls.js';
import type { ScriptedProtocol } from './protocols/protocol.js';
import { toolCode } from './protocols/tool-code.js';
import { vcp } from './protocols/vcp.js';
import { xmlInvoke } from './protocols/xml-invoke.js';

export const scriptedProtocols: readonly ScriptedProtocol[] = [xmlInvoke, jsonAction, vcp, jsonToolCalls, toolCode];
