/** The built-in protocols by id, each loaded when it is first used. The conversation knows a protocol by its id alone. */
import type { ToolProtocol } from './protocol.js';

type ById<Part> = Readonly<Record<string, () => Promise<Part>>>;

export const builtIn: ById<ToolProtocol> = {
  __proto__: null as never, // an id may be named anything
  'xml-invoke': async () => (await import('./xml-invoke.js')).xmlInvoke,
};

/** Their parsers alone: where there are no tools to teach, the rest is not needed. */
export const builtInParsers: ById<ToolProtocol['createParser']> = {
  __proto__: null as never,
  'xml-invoke': async () => (await import('./xml-invoke/parser.js')).createParser,
};
