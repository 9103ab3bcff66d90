/** The built-in protocols by id, each loaded at first use. The conversation refers to a protocol only by its id. */
import type { ProtocolReader, ToolProtocol } from './protocol.js';

type ById<Part> = Readonly<Record<string, () => Promise<Part>>>;

export const builtIn: ById<ToolProtocol> = {
  __proto__: null as never, // any string may be an id, even the name of a prototype member
  'xml-invoke': async () => (await import('./xml-invoke.js')).xmlInvoke,
  'json-action': async () => (await import('./json-action.js')).jsonAction,
  vcp: async () => (await import('./vcp.js')).vcp,
  'json-tool-calls': async () => (await import('./json-tool-calls.js')).jsonToolCalls,
  'tool-code': async () => (await import('./tool-code.js')).toolCode,
};

/** The parsers without the prompts. If there are no tools to teach, the prompts are not loaded. */
export const builtInReaders: ById<ProtocolReader> = {
  __proto__: null as never,
  'xml-invoke': async () => (await import('./xml-invoke/parser.js')).xmlInvokeReader,
  'json-action': async () => (await import('./json-action/parser.js')).jsonActionReader,
  vcp: async () => (await import('./vcp/parser.js')).vcpReader,
  'json-tool-calls': async () => (await import('./json-tool-calls/parser.js')).jsonToolCallsReader,
  'tool-code': async () => (await import('./tool-code/parser.js')).toolCodeReader,
};

/** The default id of a `ToolContextDef`, whose own `id` is optional. */
export const TOOL_CONTEXT = 'tool-context';
