/** Whether a text could be anything but one plain paragraph: then it is drawn by Markdown, which is loaded for it. */

/** Marks, entities, addresses, and white space that Markdown draws in another way than it is written. */
const SIGN = /[\\`*_~[\]<&|@$\t\r\n\0]|\s\s|:\/\/|www\./i;

/** What a heading, a quotation, a rule or a list begins with: a line break is a sign itself, so there is one beginning. */
const BEGINNING = /^[\s\-+=:>#\d]/;

/** Longer paragraphs are drawn in portions. UTF-16 units. */
const LONG = 4096;

/** @param from up to here `text` is known to have none */
export const hasSignOfMarkup = (text: string, from = 0): boolean =>
  text.length > LONG || BEGINNING.test(text) || SIGN.test(text.slice(Math.max(0, from - 3)));
