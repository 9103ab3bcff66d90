/** A comment says its reason itself: whoever reads the source has this repository and no page outside of it. Lint enforces it. */
const OUTSIDE =
  /§|\bglossary(?: \d|\.md)|\bfaults?(?:\.md|,? (?:row |nos?\. ?)?[A-K]?\d)|(?<!docs\/)\b(?:contract|protocols|platform|wire-formats|style|requirements|findings|models|toolchain)\.md|\bwire-formats\b|\b(?:S[0-4]|X|C)-\d\d\b|\bS[0-4]-\d|\bthreat(?:[- ]model)?,? rows? \d/i;

/** What a comment cites that the repository does not hold, or undefined. */
export const citesOutside = (comment) => OUTSIDE.exec(comment)?.[0];

/** A comment is a sentence, or says of a thing what it is: one that begins with such a word has to be read twice. */
const OPENING = /^[*\s]*(?:What|Whether|Of|By|Where|How|Who)\s/;

/** The word that a comment should not begin with, or undefined. */
export const opensPoorly = (comment) => OPENING.exec(comment)?.[0].replaceAll(/[*\s]/g, '');
