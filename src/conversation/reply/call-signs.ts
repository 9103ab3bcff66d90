import type { MessagePart } from '../../model/messages.js';
import { nameUnder, type ToolRegistry } from '../../tools/registry.js';

/** Whether one of the names by which a tool is known stands in the text, and what follows it fits. */
const namesTool = (text: string, protocolId: string, registry: ToolRegistry, fits = (_: string) => true): boolean =>
  registry.list().some((tool) =>
    [nameUnder(tool, protocolId), tool.name, tool.origin?.method].some((name) => {
      const at = name === undefined ? -1 : text.indexOf(name);
      return at >= 0 && fits(text.slice(at + name!.length));
    }),
  );

/** A call of whatever kind ends in one of these, and names a tool: without that, a reply is not looked at twice. */
export const mayMeanCall = (text: string, protocolId: string, registry: ToolRegistry): boolean =>
  '>`~}])'.includes(text.trimEnd().slice(-1) || ' ') && namesTool(text, protocolId, registry);

/**
 * The call that a reply without one was about: the service has announced it, or it is only in the reasoning and nothing was said. Neither runs;
 * the model is told so.
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
