/** Where what the console says is explained: a page of the package. The launcher has no room for it. */
export const CHAPTERS = 'docs/error-codes.md#';

/** For whoever writes the page: an option that does not fit. */
export const ABOUT_OPTIONS = `→ ${CHAPTERS}config`;
