/**
 * JSON whose whole numbers stay exact. A number of JavaScript has 53 bits, and many services count in 64: an id that it cannot hold is read as the
 * text of its digits, and can be written as a number again.
 */

/** Only with so many digits in a row a number can be inexact. */
const LARGE = /\d{16}/;

/** A whole number that may be too large. Longer ones are numbers of no service. */
const WHOLE = /^-?\d{16,400}$/;

/** The number that is written so; the text itself where a number would be written otherwise. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  return WHOLE.test(text) && String(number) !== text ? text : number;
}

/** @throws SyntaxError as `JSON.parse` does */
export function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  return LARGE.test(json) ? JSON.parse(withTexts(json)) : value;
}

/** Valid JSON with quotes around its inexact numbers. Each character is looked at once. */
function withTexts(json: string): string {
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

/** The position behind the string of valid JSON whose content begins at `from`. */
export function endOfText(json: string, from: number): number {
  let at = from;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** A whole number that only its text holds exactly, such as `9007199254740993`. */
export const isLargeNumber = (value: unknown): value is string => typeof value === 'string' && typeof exactNumber(value) === 'string';
