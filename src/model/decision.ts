/** The user's decision about exactly what the card showed. */
export interface Decision {
  requestId: string;
  /** Digest of the call on screen (`Call.digest`). The engine refuses one that is not the waiting call's. */
  digest: string;
  /** `edit` submits other arguments and allows nothing. */
  verdict: 'allow' | 'deny' | 'edit';
  /** With `edit`: the new arguments. */
  args?: Readonly<Record<string, unknown>>;
  /** With `allow`: index of the card's offer that is granted beyond this call. */
  remember?: number;
  /** With `allow`: the confirmation word that the user wrote instead of clicking. */
  word?: string;
}
