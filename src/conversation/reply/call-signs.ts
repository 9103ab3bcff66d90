import { nameUnder, type ToolRegistry } from '../../tools/registry.js';

/** A call of whatever kind ends in one of these, and names a tool: without that, a reply is not looked at twice. */
export const mayMeanCall = (text: string, protocolId: string, registry: ToolRegistry): boolean =>
  '>`~}])'.includes(text.trimEnd().slice(-1) || ' ') &&
  registry
    .list()
    .some((tool) =>
      [nameUnder(tool, protocolId), tool.name, tool.origin?.method].some((name) => name !== undefined && text.includes(name)),
    );
