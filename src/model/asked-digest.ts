import type { Call } from './calls.js';

/** What a question is about, and an answer has to name: the call, in a rehearsal all its steps with what each would do. */
export const askedDigest = ({ digest, rehearsed }: Pick<Call, 'digest' | 'rehearsed'>): string => rehearsed?.digest ?? digest;
