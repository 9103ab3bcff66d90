/**
 * The source of an external tool. It is marked by a symbol: a host's copy of a definition (`{ ...tool, risk }`) keeps it, and no server can
 * send one. The host is the address of the connection, never a name that the server chooses.
 */
import { withoutHidden } from '../base/invisible.js';
import type { TaintSource } from '../model/calls.js';
import type { ToolDefinition } from './tool.js';

export interface ToolSource {
  /** Host and port of the service: `mcp.example:8443`. */
  host: string;
  /** True if the page trusts the service's descriptions of its tools. */
  trusted: boolean;
}

/** A registered symbol, because a page may load two copies of this package. */
const SOURCE = Symbol.for('tool-chat.source');
/** `tool-chat.ts` also uses this symbol, for tools that are registered before it has loaded. */
const REPLACED = Symbol.for('tool-chat.replaced');

/**
 * Returns the source of the tools at an address; `undefined` for a trusted address of the page's own origin, whose tools count as the
 * page's own.
 */
export function sourceAt(address: URL, trusted: boolean): ToolSource | undefined {
  const page = (globalThis as { location?: { origin?: string } }).location?.origin;
  return trusted && address.origin === page ? undefined : Object.freeze({ host: address.host, trusted });
}

export function withSource(tool: ToolDefinition, source: ToolSource | undefined): ToolDefinition {
  return source ? ({ ...tool, [SOURCE]: source } as ToolDefinition) : tool;
}

/**
 * Marks a tool of a connected source as replaceable. If the page registers its own tool of that name, `replaced` is called and removes this
 * one.
 */
export const replaceable = (tool: ToolDefinition, replaced: () => void): ToolDefinition =>
  ({ ...tool, [REPLACED]: replaced }) as ToolDefinition;

export const replacedOf = (tool: object): (() => void) | undefined => (tool as { [REPLACED]?: () => void })[REPLACED];

/** Returns a copy of `tool` with the marks of `from`. */
export function withMarksOf(from: object, tool: ToolDefinition): ToolDefinition {
  const replaced = replacedOf(from);
  const marked = withSource(tool, sourceOf(from));
  return replaced ? replaceable(marked, replaced) : marked;
}

export const sourceOf = (tool: object): ToolSource | undefined => (tool as { [SOURCE]?: ToolSource })[SOURCE];

/** Returns the host of a tool; '' for the page's own tools. */
export const hostOf = (tool: object): string => sourceOf(tool)?.host ?? '';

/** Checks whether a tool's description is untrusted. A page that sets `untrusted` to false trusts the whole tool. */
export const isDescribedByOthers = (tool: ToolDefinition): boolean => sourceOf(tool)?.trusted === false && tool.untrusted === true;

/** Returns the untrusted content that matters for a call of this tool: a service's descriptions of its own tools do not count. */
export function untrustedSourceFor(tool: ToolDefinition, source: TaintSource | undefined): TaintSource | undefined {
  if (source?.from !== 'description') return source;
  const { hosts = [], ...rest } = source;
  const host = hosts.findLast((one) => one !== hostOf(tool));
  return host === undefined ? undefined : { ...rest, toolName: host };
}

/** The hosts that use a name or label, by its folded text; '' is the page. */
export type Callers = ReadonlyMap<string, ReadonlySet<string>>;

export function callersOf(tools: Iterable<ToolDefinition>): Callers {
  const callers = new Map<string, Set<string>>();
  for (const tool of tools)
    for (const words of [tool.name, tool.label ?? tool.name].map(folded))
      callers.set(words, (callers.get(words) ?? new Set()).add(hostOf(tool)));
  return callers;
}

/**
 * Returns the label for the user. If another source uses the same one, the host is put in front, so that no two sources have the same
 * button.
 */
export function labelAmong(callers: Callers, tool: ToolDefinition): string {
  const label = tool.label ?? tool.name;
  const host = hostOf(tool);
  return host && (callers.get(folded(label))?.size ?? 0) > 1 ? `${host}: ${label}` : label;
}

/** Removes case, blanks, punctuation and invisible characters, for comparison. */
function folded(text: string): string {
  const plain = withoutHidden(text.normalize('NFKC')).toLowerCase();
  return plain.replace(/[^\p{L}\p{N}\p{M}]+/gu, '') || plain.trim();
}
