/** The built-in protocols by id, each loaded when it is first used. The conversation knows a protocol by its id alone. */
import type { ProtocolReader, ToolProtocol } from './protocol.js';

type ById<Part> = Readonly<Record<string, () => Promise<Part>>>;

export const builtIn: ById<ToolProtocol> = {
  __proto__: null as never, // an id may be named anything
  'xml-invoke': async () => (await import('./xml-invoke.js')).xmlInvoke,
  'json-action': async () => (await import('./json-action.js')).jsonAction,
  vcp: async () => (await import('./vcp.js')).vcp,
  'json-tool-calls': async () => (await import('./json-tool-calls.js')).jsonToolCalls,
  'tool-code': async () => (await import('./tool-code.js')).toolCode,
};

/** The halves that read: where there is nothing to teach, the rest is not needed. */
export const builtInReaders: ById<ProtocolReader> = {
  __proto__: null as never,
  'xml-invoke': async () => (await import('./xml-invoke/parser.js')).xmlInvokeReader,
  'json-action': async () => (await import('./json-action/parser.js')).jsonActionReader,
  vcp: async () => (await import('./vcp/parser.js')).vcpReader,
  'json-tool-calls': async () => (await import('./json-tool-calls/parser.js')).jsonToolCallsReader,
  'tool-code': async () => (await import('./tool-code/parser.js')).toolCodeReader,
};

/** The id of a strategy of seed 003 that has none: those have no name of their own. */
export const TOOL_CONTEXT = 'tool-context';
