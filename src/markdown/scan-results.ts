/** Results of a scan that found no end: there is none, or more text decides. */
export const NO_MATCH = -1;
export const UNDECIDED = -2;
