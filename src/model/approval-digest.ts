import type { Call } from './calls.js';

/** Returns the digest that an approval must name: the call's own, or in a dry run that of all its steps with their expected effects. */
export const approvalDigest = ({ digest, rehearsed }: Pick<Call, 'digest' | 'rehearsed'>): string => rehearsed?.digest ?? digest;
