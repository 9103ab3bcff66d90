/** The private values of one conversation and their tokens. The same value always has the same token. */
import { isObject, own } from '../../base/objects.js';

/** Matches a token as a model writes it. */
export const TOKENS = /\[([A-Z][A-Z0-9_]{0,23})_([1-9]\d{0,5})\]/g;

/** The length of the longest token in UTF-16 units. */
export const TOKEN_CHARS = 33;

/** The maximum number of values, so that a page that gives a new value each time does not fill the memory. */
const MOST = 20_000;

export interface Hidden {
  kind: string;
  value: string;
  /** True for the value of a sensitive argument: it is never saved. */
  secret: boolean;
}

export interface Vault {
  readonly size: number;
  /** Returns the token of a value, a new one if needed. @throws RangeError if there are too many values */
  tokenOf(value: string, kind: string, secret?: boolean): string;
  /** Returns undefined for a token that was never assigned. */
  valueOf(token: string): string | undefined;
  values(): Iterable<Hidden>;
  /** Reserves the unassigned tokens in text that is about to be sent, so that they are never assigned to a value. */
  reserve(text: string): void;
  /** Returns undefined if there is nothing to save. */
  save(): object | undefined;
  /** Replaces all values and tokens. */
  load(kept: unknown): void;
}

export function createVault(): Vault {
  const tokens = new Map<string, string>();
  const hidden = new Map<string, Hidden>();
  const taken = new Set<string>();
  const last = new Map<string, number>();

  function put(token: string, entry: Hidden) {
    tokens.set(entry.value, token);
    hidden.set(token, entry);
  }

  return {
    get size() {
      return hidden.size;
    },
    tokenOf(value, kind, secret = false) {
      const known = tokens.get(value);
      if (known !== undefined) return known;
      if (hidden.size >= MOST) throw new RangeError('There are too many private values.');
      let number = last.get(kind) ?? 0;
      let token: string;
      do token = `[${kind}_${(number += 1)}]`;
      while (taken.has(token) || hidden.has(token));
      last.set(kind, number);
      put(token, { kind, value, secret });
      return token;
    },
    valueOf: (token) => hidden.get(token)?.value,
    values: () => hidden.values(),
    reserve(text) {
      for (const [token] of text.matchAll(TOKENS)) if (!hidden.has(token) && taken.size < MOST) taken.add(token);
    },
    save() {
      if (hidden.size === 0 && taken.size === 0) return undefined;
      const kept = [...hidden].filter(([, { secret }]) => !secret);
      return {
        values: kept.map(([token, { kind, value }]) => [token, kind, value]),
        taken: [...taken, ...[...hidden].flatMap(([token, { secret }]) => (secret ? [token] : []))],
      };
    },
    load(kept) {
      for (const map of [tokens, hidden, taken, last]) map.clear();
      if (!isObject(kept)) return;
      const [values, names] = [own(kept, 'values'), own(kept, 'taken')];
      for (const row of Array.isArray(values) ? (values as unknown[]).slice(0, MOST) : []) {
        const [token, kind, value] = Array.isArray(row) ? (row as unknown[]) : [];
        if (isToken(token) && typeof kind === 'string' && typeof value === 'string' && value !== '')
          put(token, { kind, value, secret: false });
      }
      for (const token of Array.isArray(names) ? (names as unknown[]).slice(0, MOST) : []) if (isToken(token)) taken.add(token);
    },
  };
}

const isToken = (text: unknown): text is string => typeof text === 'string' && new RegExp(`^${TOKENS.source}$`).test(text);
