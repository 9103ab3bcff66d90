/**
 * Whether the page stands still (`freeze`, `resume`). Such a page still hears the others, but what it begins in the database ends only when it
 * goes on, and keeps every other page waiting until then: so it begins nothing.
 */
let still = false;
const page = typeof document === 'undefined' ? undefined : document;
page?.addEventListener('freeze', () => (still = true));
page?.addEventListener('resume', () => (still = false));

export const standsStill = (): boolean => still;
