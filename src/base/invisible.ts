/**
 * Characters that people do not see: without a shape, or with no shape but a blank. Trojan Source, ASCII smuggling, hidden arguments.
 * One list for prose, code and the cards of calls.
 */

// Ignorable ones are soft hyphen, joiners, fillers, direction marks, invisible operators, variation selectors and the tag block.
const SHAPELESS = '\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cc}\\p{Cs}\\u2028\\u2029\\uFFF9-\\uFFFC\\u{1D159}';

/** Blanks that are no ASCII blank: each looks like one, is as wide as one, or as none. */
const BLANKS = '\\xA0\\u1680\\u2000-\\u200A\\u202F\\u205F\\u2800\\u3000\\u{13441}\\u{13442}';

/** The inside of a character class, for the flag `u`: everything nobody sees, with the tab, the line feed and the space. */
export const UNSEEN = ` ${SHAPELESS}${BLANKS}`;

const HIDDEN = new RegExp(`(?![\\t\\n])[${SHAPELESS}]`, 'gu');
const DIRECTIONS = /\p{Bidi_Control}/gu;

/** `text` without the characters nobody can see, so that what is copied is what was shown. Blanks stay. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, '');

/** `text` without what turns the reading direction round. Letters of either direction stay as they are. */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');
