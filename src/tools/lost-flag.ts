/** On calls of a reply with a piece that could not be read, from there on. */
export const LOST_FLAG = 'lost';
