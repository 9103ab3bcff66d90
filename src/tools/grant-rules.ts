/**
 * The grants and the calls that they cover. This module never allows a call: `gate` gets the matching grants and applies them last. A
 * stored grant with any unknown condition is rejected, because ignoring it could allow too much. Loaded with the first grant.
 */
import type { Call } from '../model/calls.js';
import type { Grant, GrantCondition } from '../model/grants.js';
import type { Log } from '../base/logging.js';
import { deepFreeze, isObject, own } from '../base/objects.js';
import { canonicalJson } from './digest.js';
import { copyJson } from './freeze.js';
import { OTHERS } from './suggest-grants.js';

/** Maximum number of grants. Older ones are dropped, and their calls need approval again. */
export const GRANTS_MAX = 200;

/** The latest time that a `Date` can represent. */
const MAX_TIME = 8.64e15;

export interface GrantOptions {
  /** Milliseconds since the epoch. Default: `Date.now`. */
  now?: () => number;
  log?: Pick<Log, 'warn'>;
  /**
   * Writes the sentence of a grant. Called again when a grant is loaded or used, because a stored sentence could be forged. Default: keeps
   * the sentence.
   */
  say?: (grant: Grant) => string;
}

export type NewGrant = Omit<Grant, 'id'>;

export interface Grants {
  /** Returns the current grants, oldest first, as frozen plain data. */
  list(): Grant[];
  /**
   * Adds a grant. It replaces one that differs only in its count and expiry.
   *
   * @throws TypeError for an invalid grant
   */
  add(grant: NewGrant): Grant;
  /** Removes a grant. Returns false if there is none with this id. */
  revoke(id: string): boolean;
  /** Returns the grants that cover a call of the tool with this fingerprint. Those without a count come first. */
  matching(call: Pick<Call, 'toolName' | 'args'>, fingerprint: string): Grant[];
  /** Counts one call. Returns false if the grant is gone, expired or used up, so that it allows nothing. */
  use(id: string): boolean;
  /**
   * Returns true if the permission given by `use(id)` is still valid: the grant was neither revoked nor replaced, and has not expired. It
   * may be used up.
   */
  holds(id: string): boolean;
  /** Calls `listener` after every change, but not on expiry. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
  /** Replaces all grants by the stored ones. Invalid ones are dropped with a warning; never throws. */
  load(stored: unknown): void;
}

export function createGrants({ now = Date.now, log, say = ({ sentence }) => sentence }: GrantOptions = {}): Grants {
  const grants = new Map<string, Grant>();
  /** Used-up grants. The last call that one allows may not have started yet. */
  const spent = new Map<string, Grant>();
  const listeners = new Set<() => void>();

  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  const isLive = ({ expiresAt }: Grant) => expiresAt === undefined || now() < expiresAt;

  function keep(grant: Grant): Grant {
    const kept = deepFreeze({ ...grant, sentence: say(grant) });
    grants.set(kept.id, kept);
    for (const [id] of grants) if (grants.size > GRANTS_MAX) grants.delete(id);
    return kept;
  }

  function list(): Grant[] {
    for (const grant of [...grants.values()]) if (!isLive(grant)) grants.delete(grant.id);
    return [...grants.values()];
  }

  function add(grant: NewGrant): Grant {
    const read = readGrant({ ...grant, id: createId() });
    if (!read)
      throw new TypeError('A permission is { toolName, fingerprint, sentence, scope, where, left?, expiresAt? }, all of it JSON data.');
    const terms = termsOf(read);
    for (const other of list()) if (termsOf(other) === terms) grants.delete(other.id);
    const kept = keep(read);
    changed();
    return kept;
  }

  function revoke(id: string): boolean {
    const found = grants.delete(id);
    if (found) changed();
    return found;
  }

  function matching({ toolName, args }: Pick<Call, 'toolName' | 'args'>, fingerprint: string): Grant[] {
    const mine = list().filter((grant) => grant.toolName === toolName && grant.fingerprint === fingerprint);
    const given = mine.length > 0 ? readArguments(args) : undefined;
    if (!given) return [];
    const counted = (grant: Grant) => Number(grant.left !== undefined);
    return mine.filter(({ where }) => meetsAll(where, given)).sort((one, other) => counted(one) - counted(other));
  }

  function use(id: string): boolean {
    const grant = list().find((each) => each.id === id);
    if (!grant) return false;
    const { left } = grant;
    if (left === undefined) return true;
    if (left > 1) keep({ ...grant, left: left - 1 });
    else {
      grants.delete(id);
      spent.set(id, grant);
      for (const [each] of spent) if (spent.size > GRANTS_MAX) spent.delete(each);
    }
    changed();
    return true;
  }

  function holds(id: string): boolean {
    const grant = grants.get(id) ?? spent.get(id);
    return grant !== undefined && isLive(grant);
  }

  function load(stored: unknown): void {
    grants.clear();
    spent.clear();
    let dropped = 0;
    for (const item of itemsOf(stored)) {
      const grant = readGrant(item);
      if (!grant || grants.has(grant.id)) dropped += 1;
      else if (isLive(grant)) keep(grant);
    }
    if (dropped > 0) log?.warn('grants.dropped', 'Saved permissions that could not be read are gone; their calls ask again', { dropped });
    changed();
  }

  return {
    list,
    add,
    revoke,
    matching,
    use,
    holds,
    subscribe(listener) {
      // A wrapper, because one function may be subscribed twice.
      const tell = () => listener();
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    load,
  };
}

/** Checks whether these arguments meet every condition. Never throws; arguments that are not JSON data meet none. */
export function covers(where: Grant['where'], args: unknown): boolean {
  const given = readArguments(args);
  return given !== undefined && meetsAll(where, given);
}

function readArguments(args: unknown): Record<string, unknown> | undefined {
  const copy = copyJson(args);
  return copy.ok && isObject(copy.value) ? copy.value : undefined;
}

function meetsAll(where: Grant['where'], given: Record<string, unknown>): boolean {
  const conditions = Object.entries(where).filter(([name]) => name !== OTHERS);
  const closed = conditions.length < Object.keys(where).length;
  return (
    conditions.every(([name, condition]) => Object.hasOwn(given, name) && meets(condition, given[name])) &&
    (!closed || Object.keys(given).every((name) => name !== OTHERS && Object.hasOwn(where, name)))
  );
}

function meets(condition: GrantCondition, value: unknown): boolean {
  const said = (key: keyof GrantCondition) => Object.hasOwn(condition, key);
  const { equals, oneOf = [], min = NaN, max = NaN } = condition;
  const json = said('equals') || said('oneOf') ? canonicalJson(value) : '';
  return (
    (!said('equals') || canonicalJson(equals) === json) &&
    (!said('oneOf') || oneOf.some((one) => canonicalJson(one) === json)) &&
    (!said('min') || (typeof value === 'number' && value >= min)) &&
    (!said('max') || (typeof value === 'number' && value <= max))
  );
}

/** Copies a valid grant; returns `undefined` for an invalid one. Unknown fields are dropped, but those of `where` make it invalid. */
function readGrant(value: unknown): Grant | undefined {
  const copy = copyJson(value);
  if (!copy.ok) return undefined;
  const field = (name: string) => own(copy.value, name);
  const [id, toolName, fingerprint, sentence] = ['id', 'toolName', 'fingerprint', 'sentence'].map(field);
  const [scope, where, left, expiresAt, toolHost] = ['scope', 'where', 'left', 'expiresAt', 'toolHost'].map(field);
  if (!isText(id) || !isText(toolName) || !isText(fingerprint) || typeof sentence !== 'string') return undefined;
  if ((scope !== 'session' && scope !== 'always') || !isWhere(where) || !isWhole(value, where)) return undefined;
  if (toolHost !== undefined && !isText(toolHost)) return undefined;
  if (left !== undefined && !(Number.isSafeInteger(left) && (left as number) > 0)) return undefined;
  if (expiresAt !== undefined && !(typeof expiresAt === 'number' && Math.abs(expiresAt) <= MAX_TIME)) return undefined;
  return {
    ...{ id, toolName, fingerprint, sentence, scope, where },
    ...(toolHost !== undefined && { toolHost }),
    ...(left !== undefined && { left: left as number }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

const CONDITIONS: Record<keyof GrantCondition, (value: unknown) => boolean> = {
  equals: () => true,
  oneOf: Array.isArray,
  min: (value) => typeof value === 'number',
  max: (value) => typeof value === 'number',
};

function isWhere(where: unknown): where is Grant['where'] {
  if (!isObject(where)) return false;
  return Object.entries(where).every(
    ([name, condition]) =>
      isObject(condition) &&
      (name !== OTHERS || canonicalJson(condition) === '{"oneOf":[]}') &&
      Object.entries(condition).every(([key, value]) => Object.hasOwn(CONDITIONS, key) && CONDITIONS[key as keyof GrantCondition](value)),
  );
}

/** Checks that the copy has every condition: copies drop undefined values, and a condition that lost a part allows more. */
function isWhole(source: unknown, copy: Grant['where']): boolean {
  try {
    const where = own(source, 'where') as Grant['where'];
    const same = (one: object, other: object) => Object.keys(one).length === Object.keys(other).length;
    return same(where, copy) && Object.entries(copy).every(([name, condition]) => same(own(where, name) as object, condition));
  } catch {
    return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 200;
}

function termsOf({ toolName, fingerprint, scope, where }: Grant): string {
  return canonicalJson({ toolName, fingerprint, scope, where });
}

/** Returns the entries of a stored list; an unreadable one is `undefined`. */
function itemsOf(stored: unknown): unknown[] {
  const attempt = <T>(read: () => T) => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  const list = attempt(() =>
    Array.isArray(stored) ? { length: stored.length, at: (index: number) => stored[index] as unknown } : undefined,
  );
  if (!list) return stored === undefined ? [] : [undefined];
  return Array.from({ length: Math.min(list.length, 10 * GRANTS_MAX) }, (_, index) => attempt(() => list.at(index)));
}

/** `crypto.randomUUID` exists on secure pages only. */
function createId(): string {
  return `grant-${Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => byte.toString(36).padStart(2, '0')).join('')}`;
}
