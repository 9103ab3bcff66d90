/** References to pages that this repository does not contain. A comment must state its reason itself; lint enforces it. */
const OUTSIDE =
  /§|\bglossary(?: \d|\.md)|\bfaults?(?:\.md|,? (?:row |nos?\. ?)?[A-K]?\d)|(?<!docs\/)\b(?:contract|protocols|platform|wire-formats|style|requirements|findings|models|toolchain)\.md|\bwire-formats\b|\b(?:S[0-4]|X|C)-\d\d\b|\bS[0-4]-\d|\bthreat(?:[- ]model)?,? rows? \d/i;

/** Returns the outside page that a comment cites, or undefined. */
export const citesOutside = (comment) => OUTSIDE.exec(comment)?.[0];

/** Words that make a comment a clause without a subject: it has to be read twice. */
const OPENING = /^[*\s]*(?:What|Whether|Of|By|Where|How|Who)\s/;

/** Returns the word that a comment should not begin with, or undefined. */
export const opensPoorly = (comment) => OPENING.exec(comment)?.[0].replaceAll(/[*\s]/g, '');
