/**
 * The page of the package that explains console messages. The messages only link to it, because the launcher has no room for explanations.
 */
export const CHAPTERS = 'docs/error-codes.md#';

/** A link for the developer of the page, for an option with an invalid value. */
export const ABOUT_OPTIONS = `→ ${CHAPTERS}config`;
