/** Kinds of values that are recognized by their form. Every pattern is linear: each repeat is bounded or cannot fail afterwards. */

export interface Kind {
  /** The name in the token. */
  name: string;
  pattern: RegExp;
  /** Returns the ranges of the values in a match. Without it, the whole match is the value. */
  pick?(found: string): readonly (readonly [start: number, end: number])[];
}

/** Returns the start and end of each group of characters between blanks and hyphens. */
const groupsOf = (text: string) => [...text.matchAll(/[A-Za-z0-9]+/g)].map(({ 0: group, index }) => [index, index + group.length] as const);

/** Returns the longest run of whole groups from each position that is a valid value; the groups around it may belong to another number. */
function runs(text: string, most: number, isOne: (plain: string) => boolean): [number, number][] {
  const groups = groupsOf(text);
  const found: [number, number][] = [];
  for (let first = 0; first < groups.length; first += 1) {
    const [start] = groups[first]!;
    let plain = '';
    let end = -1;
    let after = first;
    for (let next = first; next < groups.length; next += 1) {
      plain += text.slice(...groups[next]!);
      if (plain.length > most) break;
      if (isOne(plain)) [end, after] = [groups[next]![1], next];
    }
    if (end < 0) continue;
    found.push([start, end]);
    first = after;
  }
  return found;
}

function isCard(digits: string): boolean {
  if (digits.length < 13) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    sum += index % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

function isIban(plain: string): boolean {
  if (plain.length < 15 || !/^[A-Za-z]{2}\d{2}/.test(plain)) return false;
  let rest = 0;
  for (const char of plain.slice(4) + plain.slice(0, 4))
    for (const digit of parseInt(char, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/**
 * Returns all groups of digits as one value, except a date before them, because it is impossible to tell where one number ends and the next
 * begins.
 */
function phones(text: string): [number, number][] {
  const start = /^\d{4}-\d{2}-\d{2}(?!\d)[ ]?/.exec(text)?.[0].length ?? 0;
  const groups = groupsOf(text.slice(start)).map(([from, to]) => to - from);
  const digits = groups.reduce((sum, length) => sum + length, 0);
  const isOne = digits >= (text.startsWith('+') ? 7 : 9) && groups.some((length) => length > 2);
  return isOne ? [[start, text.length]] : [];
}

const addresses = (text: string): [number, number][] => (text.split('.').every((part) => Number(part) < 256) ? [[0, text.length]] : []);

/** Kinds by the name that a page uses. If two kinds match the same text, the first one applies. */
export const builtInKinds: Readonly<Record<string, Kind>> = {
  email: { name: 'EMAIL', pattern: /[\p{L}\p{N}._%+-]{1,64}(?:@|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu },
  iban: {
    name: 'IBAN',
    pattern: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,1000}/g,
    pick: (found) => runs(found, 34, isIban),
  },
  card: { name: 'CARD', pattern: /(?<!\d)\d(?:[ -]?\d){12,1000}/g, pick: (found) => runs(found, 19, isCard) },
  ip: { name: 'IP', pattern: /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g, pick: addresses },
  phone: { name: 'PHONE', pattern: /(?<![\w.-])\+?\(?\d(?:[ ()./-]{0,2}\d){6,60}(?!\w)/g, pick: phones },
};
