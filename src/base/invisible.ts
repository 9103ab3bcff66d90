/**
 * Characters that users cannot see: those without a glyph, and unusual blanks. They are used for Trojan Source, ASCII smuggling and hidden
 * arguments. Prose, code and the cards of calls share this list.
 */

// Default-ignorable characters: soft hyphen, joiners, fillers, direction marks, invisible operators, variation selectors and the tag block.
const SHAPELESS = '\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cc}\\p{Cs}\\u2028\\u2029\\uFFF9-\\uFFFC\\u{1D159}';

/** Non-ASCII blanks. They look like a blank, with its width or with none. */
const BLANKS = '\\xA0\\u1680\\u2000-\\u200A\\u202F\\u205F\\u2800\\u3000\\u{13441}\\u{13442}';

/** The inside of a character class, for the flag `u`: everything invisible, with the tab, the line feed and the space. */
export const UNSEEN = ` ${SHAPELESS}${BLANKS}`;

const HIDDEN = new RegExp(`(?![\\t\\n])[${SHAPELESS}]`, 'gu');
const DIRECTIONS = /\p{Bidi_Control}/gu;

/** Removes invisible characters except blanks, so that what is copied is what was shown. */
export const withoutHidden = (text: string): string => text.replace(HIDDEN, '');

/** Removes characters that change the reading direction. Letters of either direction stay. */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, '');
