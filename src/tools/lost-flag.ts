/** The flag of calls that follow an unreadable piece of a reply. */
export const LOST_FLAG = 'lost';
