/** The entry point `tool-chat/protocols`: the contract, and the built-in protocols for eager use. */
import type { ToolProtocol } from './protocol.js';
import { addChineseProtocols } from './chinese.js';
import { jsonAction } from './json-action.js';
import { jsonToolCalls } from './json-tool-calls.js';
import { toolCode } from './tool-code.js';
import { vcp } from './vcp.js';
import { xmlInvoke } from './xml-invoke.js';

export type * from './protocol.js';
export { asProtocol } from './adapt.js';
export type { ToolContextDef, ToolContextTool } from './adapt/tool-context.js';
export { anyReader, createAnyReader, type NamedNotation } from './any-protocol.js';
export { findNearMiss, type NearMiss, type NearMissOptions } from './near-miss.js';
export { neutralise } from './neutralize.js';
export { containsToolCall, extractJSONBlock, parseResponse, type ParsedToolCall, type ParseResult } from './parse-response.js';
export { HOLD_LIMIT, matchWord, NEED_MORE as MORE, NO_MATCH as NO } from './scan.js';
export type { Place } from './code-state.js';
export { createTextMode, type BlockHost, type CreateNotation, type Notation } from './text-mode.js';

addChineseProtocols();

/** The built-in protocols by id. The object has no prototype, so only listed ids are found. */
export const protocols: Readonly<Record<string, ToolProtocol>> = Object.freeze({
  __proto__: null as never,
  [xmlInvoke.id]: xmlInvoke,
  [jsonAction.id]: jsonAction,
  [vcp.id]: vcp,
  [jsonToolCalls.id]: jsonToolCalls,
  [toolCode.id]: toolCode,
});
