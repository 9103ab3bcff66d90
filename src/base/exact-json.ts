/**
 * JSON parsing that keeps whole numbers exact. A JavaScript number is exact to 53 bits, but many services use 64-bit ids: a number that
 * cannot be represented is parsed as a string of its digits, and can be written as a number again.
 */

/** Matches JSON that may contain an inexact number: fewer digits are always exact. */
const LARGE = /\d{16}/;

/** A whole number that may be too large. No service uses longer ones. */
const WHOLE = /^-?\d{16,400}$/;

/** Returns the number, or the text itself if the number would be written differently. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  return WHOLE.test(text) && String(number) !== text ? text : number;
}

/** @throws SyntaxError like `JSON.parse` */
export function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return LARGE.test(json) ? JSON.parse(quoteLargeNumbers(json)) : value;
}

/** Returns valid JSON with quotes around its inexact numbers. Runs in linear time. */
function quoteLargeNumbers(json: string): string {
  const tokens = /"|-?\d[\d.eE+-]*/g;
  let written = '';
  let from = 0;
  for (let token = tokens.exec(json); token; token = tokens.exec(json)) {
    const [found] = token;
    if (found === '"') tokens.lastIndex = endOfText(json, token.index + 1);
    else if (typeof exactNumber(found) === 'string') {
      written += `${json.slice(from, token.index)}"${found}"`;
      from = tokens.lastIndex;
    }
  }
  return written + json.slice(from);
}

/** Returns the position after the JSON string whose content begins at `from`. The JSON must be valid. */
export function endOfText(json: string, from: number): number {
  let at = from;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Checks whether a value is the text of a whole number that is too large for a number, such as `9007199254740993`. */
export const isLargeNumber = (value: unknown): value is string => typeof value === 'string' && typeof exactNumber(value) === 'string';
