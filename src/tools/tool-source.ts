/**
 * Whose a tool is, where it comes from elsewhere. The mark is a symbol: a host's copy of a definition (`{ ...tool, risk }`) keeps it, and no
 * server can send one. The host is the address that was connected, never a name that a server gives itself.
 */
import { withoutHidden } from '../base/invisible.js';
import type { TaintSource } from '../model/calls.js';
import type { ToolDefinition } from './tool.js';

export interface ToolSource {
  /** Host and port of the service: `mcp.example:8443`. */
  host: string;
  /** The page vouches for what the service says of its tools. */
  trusted: boolean;
}

/** Registered, for a page may load two copies of this package. */
const SOURCE = Symbol.for('tool-chat.source');
/** `tool-chat.ts` reads it too, for tools that wait. */
const REPLACED = Symbol.for('tool-chat.replaced');

/** A tool of the page's own origin that the page vouches for is the page's own: undefined. */
export function sourceAt(address: URL, trusted: boolean): ToolSource | undefined {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  return trusted && address.origin === page ? undefined : Object.freeze({ host: address.host, trusted });
}

export function withSource(tool: ToolDefinition, source: ToolSource | undefined): ToolDefinition {
  return source ? ({ ...tool, [SOURCE]: source } as ToolDefinition) : tool;
}

/** A tool of a connected source. When the page registers one of its own under that name, `replaced` is called and takes this one away. */
export const replaceable = (tool: ToolDefinition, replaced: () => void): ToolDefinition =>
  ({ ...tool, [REPLACED]: replaced }) as ToolDefinition;

export const replacedOf = (tool: object): (() => void) | undefined => (tool as { [REPLACED]?: () => void })[REPLACED];

/** A copy of `tool` with what is marked on `from`. */
export function withMarksOf(from: object, tool: ToolDefinition): ToolDefinition {
  const replaced = replacedOf(from);
  const marked = withSource(tool, sourceOf(from));
  return replaced ? replaceable(marked, replaced) : marked;
}

export const sourceOf = (tool: object): ToolSource | undefined => (tool as { [SOURCE]?: ToolSource })[SOURCE];

/** Empty for the page's own. */
export const hostOf = (tool: object): string => sourceOf(tool)?.host ?? '';

/** Its description is the words of others. A page that takes back `untrusted` vouches for the tool as a whole. */
export const isDescribedByOthers = (tool: ToolDefinition): boolean => sourceOf(tool)?.trusted === false && tool.untrusted === true;

/** What of it a call of this tool follows: a service that describes its own tools is no reason to ask about these. */
export function taintFor(tool: ToolDefinition, source: TaintSource | undefined): TaintSource | undefined {
  if (source?.from !== 'description') return source;
  const { hosts = [], ...rest } = source;
  const host = hosts.findLast((one) => one !== hostOf(tool));
  return host === undefined ? undefined : { ...rest, toolName: host };
}

/** Which hosts call a tool so, by what they call it; empty is the page. */
export type Callers = ReadonlyMap<string, ReadonlySet<string>>;

export function callersOf(tools: Iterable<ToolDefinition>): Callers {
  const callers = new Map<string, Set<string>>();
  for (const tool of tools)
    for (const words of [tool.name, tool.label ?? tool.name].map(folded))
      callers.set(words, (callers.get(words) ?? new Set()).add(hostOf(tool)));
  return callers;
}

/** What people read: a tool that is called like one of somebody else has its host in front, so that no two sources share a button. */
export function labelAmong(callers: Callers, tool: ToolDefinition): string {
  const label = tool.label ?? tool.name;
  const host = hostOf(tool);
  return host && (callers.get(folded(label))?.size ?? 0) > 1 ? `${host}: ${label}` : label;
}

/** Without case, blanks, signs and what is not seen. */
function folded(text: string): string {
  const plain = withoutHidden(text.normalize('NFKC')).toLowerCase();
  return plain.replace(/[^\p{L}\p{N}\p{M}]+/gu, '') || plain.trim();
}
