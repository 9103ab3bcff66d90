/**
 * Character references. Numeric ones are complete; of the 2,125 names of HTML 5 some 220 are known: Latin-1, Greek, and the usual
 * punctuation, arrows and operators. An unknown name stays as it was typed.
 */
const TABLE = new Map<string, string>();

function add(names: string, first: number): void {
  let code = first;
  for (const name of names.split(' ')) {
    if (name !== '') TABLE.set(name, String.fromCodePoint(code));
    code++;
  }
}

// Each list is consecutive from its first code point; two blanks in a row skip one.
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ' +
  'ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc ' +
  'Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml ' +
  'aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave ' +
  'uacute ucirc uuml yacute thorn yuml';
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho  Sigma Tau Upsilon Phi Chi Psi Omega       ' +
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';
const OTHERS =
  'quot"amp&lt<gt>apos\'OElig\u0152oelig\u0153Scaron\u0160scaron\u0161Yuml\u0178ensp\u2002emsp\u2003thinsp\u2009zwnj\u200czwj\u200dlrm\u200e' +
  'rlm\u200fndash\u2013mdash\u2014lsquo\u2018rsquo\u2019sbquo\u201aldquo\u201crdquo\u201dbdquo\u201edagger\u2020bull\u2022hellip\u2026' +
  'permil\u2030prime\u2032Prime\u2033lsaquo\u2039rsaquo\u203aeuro\u20actrade\u2122larr\u2190uarr\u2191rarr\u2192darr\u2193harr\u2194rArr\u21d2' +
  'hArr\u21d4forall\u2200part\u2202exist\u2203empty\u2205nabla\u2207isin\u2208notin\u2209prod\u220fsum\u2211minus\u2212radic\u221ainfin\u221e' +
  'and\u2227or\u2228cap\u2229cup\u222aint\u222bsim\u223casymp\u2248ne\u2260equiv\u2261le\u2264ge\u2265sub\u2282sup\u2283sube\u2286supe\u2287' +
  'approx\u2248lceil\u2308rceil\u2309lfloor\u230arfloor\u230bNotEqual\u2260sdot\u22c5loz\u25cahearts\u2665check\u2713';

add(LATIN, 0xa0);
add(GREEK, 0x391);
for (const [, name, character] of OTHERS.matchAll(/([A-Za-z]+)([^A-Za-z])/g)) TABLE.set(name!, character!);

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,30}));/y;

/** Reads the character reference that starts at the `&` at `at`: returns its text and its end. */
export function readEntity(text: string, at: number): { text: string; end: number } | undefined {
  REFERENCE.lastIndex = at;
  const match = REFERENCE.exec(text);
  if (!match) return undefined;
  const [whole, hex, decimal, name] = match;
  const value = name === undefined ? fromCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)) : TABLE.get(name);
  return value === undefined ? undefined : { text: value, end: at + whole.length };
}

function fromCode(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : '\ufffd';
}
