/**
 * Selects the items to delete when memory exceeds its limits. The order is fixed:
 *
 * 1. Items that were not used for longer than `ageMs`.
 * 2. Above `items`: summaries of earlier conversations first, then facts and preferences, entities last. Within a group, the item that was
 *    least recently used goes first, then the oldest.
 *
 * Slots are never deleted and do not count: the page that sets them also removes them.
 */
import type { MemoryItem, MemoryKind, MemoryOptions } from '../model/memory.js';

export interface MemoryLimits {
  /** The maximum number of items in the store, without slots. */
  items: number;
  /** The maximum of estimated tokens for all memory in one request. Slots come first. */
  tokens: number;
  /** The maximum age in milliseconds since an item was last used. */
  ageMs: number;
}

const defaults: MemoryLimits = { items: 500, tokens: 1_000, ageMs: 365 * 24 * 60 * 60 * 1000 };

/** Returns the host's limits if they are valid numbers, else the defaults. */
export function memoryLimits({ limits = {} }: Pick<MemoryOptions, 'limits'>): MemoryLimits {
  const of = (name: keyof MemoryLimits) => {
    const value = limits[name];
    return typeof value === 'number' && value >= 0 ? value : defaults[name];
  };
  return { items: of('items'), tokens: of('tokens'), ageMs: of('ageMs') };
}

/** The order in which kinds are deleted. */
const turn: Record<Exclude<MemoryKind, 'slot'>, number> = { summary: 0, fact: 1, preference: 1, entity: 2 };

/** Returns the items to delete now, the least useful first. */
export function toEvict(
  items: readonly MemoryItem[],
  { items: most, ageMs }: Pick<MemoryLimits, 'items' | 'ageMs'>,
  now: number,
): MemoryItem[] {
  const mortal = items.filter(({ kind }) => kind !== 'slot');
  const isOld = ({ usedAt, createdAt }: MemoryItem) => now - Math.max(usedAt, createdAt) > ageMs;
  const young = mortal.filter((item) => !isOld(item));
  const excess = young.sort(byUsefulness).slice(0, Math.max(0, young.length - most));
  return [...mortal.filter(isOld).sort(byUsefulness), ...excess];
}

function byUsefulness(a: MemoryItem, b: MemoryItem): number {
  return turnOf(a) - turnOf(b) || a.usedAt - b.usedAt || a.createdAt - b.createdAt;
}

const turnOf = ({ kind }: MemoryItem) => (kind === 'slot' ? Infinity : turn[kind]);
