/** The flag of calls that follow an unreadable piece of a reply. */
export const LOST_CALL_FLAG = 'lost';
