/** What a person allowed beyond one call. */

/** What an argument has to be; all that is given must hold. `{}` = anything, but it has to be there. */
export interface GrantCondition {
  /** The same JSON value, whatever the order of keys. */
  equals?: unknown;
  /** One of these JSON values. */
  oneOf?: unknown[];
  /** A number, not less than this. */
  min?: number;
  /** A number, not more than this. */
  max?: number;
}

/** Plain data, frozen. Grants only allow: what asks or denies for another reason does so in spite of them (`tools/gate.ts`). */
export interface Grant {
  id: string;
  toolName: string;
  /** Whose tool it is, as on a call. */
  toolHost?: string;
  /** Of the tool as it was when this was granted (`tools/fingerprint.ts`): a tool that changed has lost its grants. */
  fingerprint: string;
  /** What is granted, in words. */
  sentence: string;
  /** `always` outlives the session; only where `storage` is `indexeddb`. */
  scope: 'session' | 'always';
  /** By argument; `{}` = every call of the tool. The name `*` stands for all others and has one condition, `{ oneOf: [] }`: there are none. */
  where: Record<string, GrantCondition>;
  /** So many more calls. Absent = any number. */
  left?: number;
  /** Milliseconds since the epoch. Absent = as long as `scope` says. */
  expiresAt?: number;
}

/** What is granted, without for whom. */
export type GrantTerms = Pick<Grant, 'scope' | 'where' | 'left' | 'expiresAt'>;

/** A grant that a card offers. */
export type GrantSuggestion = GrantTerms & Pick<Grant, 'sentence'>;
