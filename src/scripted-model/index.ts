/**
 * A rule-based model: deterministic and offline. It reads the system prompt as a model does, writes calls in the protocol described there,
 * uses results, and misbehaves on request (`/fault help`). For demos and tests; part of the entry point `tool-chat/testing`.
 */
import { scriptedEndpoint } from './endpoint.js';
import type { ScriptedModelOptions } from './model.js';

export { createScriptedModel, ScriptedFault } from './model.js';
export type { ScriptedCall, ScriptedModel, ScriptedModelOptions, ScriptedPiece } from './model.js';
export type { ScriptedMessage, ScriptedRequest } from './scripted-request.js';
export { scriptedEndpoint, scriptedPaths, scriptedWireIds } from './endpoint.js';
export type { ScriptedEndpoint, ScriptedWireId } from './endpoint.js';

/** Returns the scripted model as an OpenAI-compatible service, for the option `upstream` of a relay. */
export function scriptedUpstream(options: ScriptedModelOptions = {}): (request: Request, signal: AbortSignal) => Promise<Response> {
  return scriptedEndpoint('openai', options);
}
