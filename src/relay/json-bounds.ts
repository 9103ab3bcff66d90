/** Bounds of a JSON text that are checked before it is parsed: parsing a megabyte of brackets takes longer than a thread may be held. */

/** Objects, lists and what they hold. Three hundred tools of ten parameters have some 11,000. */
const MAX_VALUES = 20_000;

/** Levels of lists and objects; schemas that developers write have a dozen. */
const MAX_LEVELS = 200;

const QUOTE = 34;
const BACKSLASH = 92;

/** @returns which bound the text exceeds, or nothing */
export function exceededBound(json: string): string | undefined {
  let values = 1;
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    if (code === 44) values += 1;
    else if (code === 91 || code === 123) {
      values += 1;
      level += 1;
      if (level > MAX_LEVELS) return `is nested deeper than the ${MAX_LEVELS} levels that this service takes`;
    } else if (code === 93 || code === 125) level -= 1;
    if (values > MAX_VALUES) return `holds more than the ${MAX_VALUES} values that this service takes`;
  }
  return undefined;
}

function endOfString(json: string, from: number): number {
  let end = json.indexOf('"', from + 1);
  while (end >= 0) {
    let first = end;
    while (json.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
  return json.length;
}
