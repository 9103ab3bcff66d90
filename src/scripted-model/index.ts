/**
 * A model without intelligence: rule-based, deterministic, offline. It reads the system prompt like a model does, writes calls in the notation
 * taught there, uses results, and misbehaves when told (`/fault help`). Serves demos and tests; part of the door `tool-chat/testing`.
 */
import { scriptedEndpoint } from './endpoint.js';
import type { ScriptedModelOptions } from './model.js';

export { createScriptedModel, ScriptedFault } from './model.js';
export type { ScriptedCall, ScriptedModel, ScriptedModelOptions, ScriptedPiece } from './model.js';
export type { ScriptedMessage, ScriptedRequest } from './scripted-request.js';
export { scriptedEndpoint, scriptedPaths, scriptedWireIds } from './endpoint.js';
export type { ScriptedEndpoint, ScriptedWireId } from './endpoint.js';

/** The scripted model behind an OpenAI-compatible address: what a relay can take for its `upstream`. */
export function scriptedUpstream(options: ScriptedModelOptions = {}): (request: Request, signal: AbortSignal) => Promise<Response> {
  return scriptedEndpoint('openai', options);
}
