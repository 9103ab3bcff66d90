/** A person's answer to exactly what the card showed. */
export interface Decision {
  requestId: string;
  /** Digest of the call that was on screen (`Call.digest`); the engine refuses one that is not the waiting call's. */
  digest: string;
  /** `edit` asks for other arguments and allows nothing. */
  verdict: 'allow' | 'deny' | 'edit';
  /** With `edit`: the arguments. */
  args?: Readonly<Record<string, unknown>>;
  /** With `allow`: which of the card's offers is granted beyond this call. */
  remember?: number;
  /** With `allow`: the confirmation word that was written instead of a click. */
  word?: string;
}
