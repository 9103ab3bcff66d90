/**
 * A model without intelligence: rule-based, deterministic, offline. It reads the system prompt like a model does, writes calls in the notation
 * taught there, uses results, and misbehaves when told (`/fault help`). Serves demos and tests; part of the door `tool-chat/testing`.
 */
export { createScriptedModel, ScriptedFault } from './scripted-model/model.js';
export type { ScriptedModel, ScriptedModelOptions, ScriptedRequest } from './scripted-model/model.js';
export type { ScriptedMessage } from './scripted-model/lesson.js';
export { scriptedUpstream } from './scripted-model/upstream.js';
