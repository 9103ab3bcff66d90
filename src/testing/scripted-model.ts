/**
 * A model without intelligence: rule-based, deterministic, offline. It reads the system prompt like a model does, writes calls in the notation
 * taught there, uses results, and misbehaves when told (`/fault help`). Serves demos and tests; part of the door `tool-chat/testing`.
 */
import { scriptedEndpoint } from './scripted-model/endpoint.js';
import type { ScriptedModelOptions } from './scripted-model/model.js';

export { createScriptedModel, ScriptedFault } from './scripted-model/model.js';
export type { ScriptedCall, ScriptedModel, ScriptedModelOptions, ScriptedPiece, ScriptedRequest } from './scripted-model/model.js';
export type { ScriptedMessage } from './scripted-model/lesson.js';
export { scriptedEndpoint, scriptedPaths, scriptedWireIds } from './scripted-model/endpoint.js';
export type { ScriptedEndpoint, ScriptedWireId } from './scripted-model/endpoint.js';

/** The scripted model behind an OpenAI-compatible address: what a relay can take for its `upstream`. */
export function scriptedUpstream(options: ScriptedModelOptions = {}): (request: Request, signal: AbortSignal) => Promise<Response> {
  return scriptedEndpoint('openai', options);
}
