/** The built-in protocols by id, each loaded when it is first used. The conversation knows a protocol by its id alone. */
import type { ProtocolReader, ToolProtocol } from './protocol.js';

type ById<Part> = Readonly<Record<string, () => Promise<Part>>>;

export const builtIn: ById<ToolProtocol> = {
  __proto__: null as never, // an id may be named anything
  'xml-invoke': async () => (await import('./xml-invoke.js')).xmlInvoke,
};

/** The halves that read: where there is nothing to teach, the rest is not needed. */
export const builtInReaders: ById<ProtocolReader> = {
  __proto__: null as never,
  'xml-invoke': async () => (await import('./xml-invoke/parser.js')).xmlInvokeReader,
};
