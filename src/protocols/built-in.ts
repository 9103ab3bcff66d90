/** The built-in protocols by id, each loaded when it is first used. The conversation knows a protocol by its id alone. */
import type { ToolProtocol } from './protocol.js';

export const builtIn: Readonly<Record<string, () => Promise<ToolProtocol>>> = Object.assign(Object.create(null), {
  'xml-invoke': async () => (await import('./xml-invoke.js')).xmlInvoke,
});
