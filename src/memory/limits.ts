/**
 * What has to go when more is remembered than may be. The order, and there is no other:
 *
 * 1. What nobody used for longer than `ageMs`.
 * 2. Over `items`: summaries of earlier conversations first, then facts and preferences, entities last; among these the one that was not
 *    used for the longest time, and of equals the older one.
 *
 * Slots are never evicted and do not count: who sets them takes them back.
 */
import type { MemoryItem, MemoryKind, MemoryOptions } from '../model/memory.js';

export interface MemoryLimits {
  /** Items in the store, slots not counted. */
  items: number;
  /** Estimated tokens of all that is remembered in one request. Slots come first. */
  tokens: number;
  /** Milliseconds since an item was last used. */
  ageMs: number;
}

const defaults: MemoryLimits = { items: 500, tokens: 1_000, ageMs: 365 * 24 * 60 * 60 * 1000 };

/** What the host set where it is a count, else the default. */
export function memoryLimits({ limits = {} }: Pick<MemoryOptions, 'limits'>): MemoryLimits {
  const of = (name: keyof MemoryLimits) => {
    const value = limits[name];
    return typeof value === 'number' && value >= 0 ? value : defaults[name];
  };
  return { items: of('items'), tokens: of('tokens'), ageMs: of('ageMs') };
}

/** In the order in which kinds go. */
const turn: Record<Exclude<MemoryKind, 'slot'>, number> = { summary: 0, fact: 1, preference: 1, entity: 2 };

/** What has to go now, the least useful first. */
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
