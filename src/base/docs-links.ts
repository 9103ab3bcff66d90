/**
 * The page of the package that explains console messages. The messages only link to it, because the launcher has no room for explanations.
 */
export const DOCS_LINK = 'docs/error-codes.md#';

/** A link for the developer of the page, for an option with an invalid value. */
export const OPTIONS_LINK = `→ ${DOCS_LINK}config`;
