import type { MessagePart } from '../../model/messages.js';
import { nameUnder, type ToolRegistry } from '../../tools/registry.js';

/** Checks whether the text contains one of the names by which a tool is known, and whether the text after it fits. */
const namesTool = (text: string, protocolId: string, registry: ToolRegistry, fits = (_: string) => true): boolean =>
  registry.list().some((tool) =>
    [nameUnder(tool, protocolId), tool.name, tool.origin?.method].some((name) => {
      const at = name === undefined ? -1 : text.indexOf(name);
      return at >= 0 && fits(text.slice(at + name!.length));
    }),
  );

/**
 * Checks whether a reply may contain a call that was not found. A call of any format ends in one of these characters and names a tool. All
 * other replies are not read a second time.
 */
export const mayContainCall = (text: string, protocolId: string, registry: ToolRegistry): boolean =>
  '>`~}])'.includes(text.trimEnd().slice(-1) || ' ') && namesTool(text, protocolId, registry);

/**
 * Returns how a call is missing in a reply without one: the service has announced it, or it is only in the reasoning and there is no
 * answer. Neither runs, and the model is told so.
 */
export function missingCall(
  { parts, reasoning, finish }: { parts: readonly MessagePart[]; reasoning: string; finish: string },
  protocolId: string,
  registry: ToolRegistry,
): 'announced' | 'thought' | undefined {
  if (parts.some(({ type }) => type !== 'text')) return undefined;
  const isSilent = parts.every((part) => part.type === 'text' && part.text.trim() === '');
  if (isSilent && namesTool(reasoning, protocolId, registry, (behind) => /[>}\])]/.test(behind))) return 'thought';
  return finish === 'tool-calls' ? 'announced' : undefined;
}
