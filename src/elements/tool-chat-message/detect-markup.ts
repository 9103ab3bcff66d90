/** Detects whether a text may be more than one plain paragraph. In this case it needs Markdown. */

/** Markup characters, entities, URLs, and white space that Markdown renders differently. */
const MARKUP = /[\\`*_~[\]<&|@$\t\r\n\0]|\s\s|:\/\/|www\./i;

/**
 * Characters that start a heading, quotation, rule or list. A line break is a sign itself, so only the beginning of the text is checked.
 */
const BLOCK_START = /^[\s\-+=:>#\d]/;

/** Length in UTF-16 units above which a paragraph needs Markdown, which renders it in slices. */
const LONG = 4096;

/** @param from the text before this index is known to have no signs */
export const mayHaveMarkup = (text: string, from = 0): boolean =>
  text.length > LONG || BLOCK_START.test(text) || MARKUP.test(text.slice(Math.max(0, from - 3)));
