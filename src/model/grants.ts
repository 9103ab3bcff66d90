/** Permissions that the user gave beyond one call. */

/** A condition on one argument. All given keywords must hold. `{}` accepts any value, but the argument must be present. */
export interface GrantCondition {
  /** The argument equals this JSON value. The order of keys does not matter. */
  equals?: unknown;
  /** The argument equals one of these JSON values. */
  oneOf?: unknown[];
  /** The argument is a number, at least this. */
  min?: number;
  /** The argument is a number, at most this. */
  max?: number;
}

/**
 * A permission as plain, frozen data. Grants only allow: anything that asks or denies for another reason overrides them.
 */
export interface Grant {
  id: string;
  toolName: string;
  /** Host and port of the tool's service, as on a call. Absent for the page's own tools. */
  toolHost?: string;
  /** Fingerprint of the tool when this was granted. A tool that changed loses its grants. */
  fingerprint: string;
  /** A sentence that says what is granted. */
  sentence: string;
  /** `always` outlives the session; only where `storage` is `indexeddb`. */
  scope: 'session' | 'always';
  /**
   * Conditions by argument; `{}` allows every call of the tool. The name `*` means all other arguments. Its only condition is `{ oneOf: []
   * }`: there must be none.
   */
  where: Record<string, GrantCondition>;
  /** Number of calls left. Absent means any number. */
  left?: number;
  /** Milliseconds since the epoch. If absent, `scope` alone limits the grant. */
  expiresAt?: number;
}

/** The conditions of a grant, without the tool it applies to. */
export type GrantTerms = Pick<Grant, 'scope' | 'where' | 'left' | 'expiresAt'>;

/** A grant that a card offers. */
export type GrantSuggestion = GrantTerms & Pick<Grant, 'sentence'>;
