/** Limits of a JSON text that are checked before parsing: parsing a megabyte of brackets would block the thread for too long. */

/** Maximum number of objects, lists and values in them. Three hundred tools of ten parameters have about 11,000. */
const MAX_VALUES = 20_000;

/** Maximum depth of lists and objects; schemas that developers write have about a dozen levels. */
const MAX_LEVELS = 200;

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Checks the limits without parsing.
 *
 *   @returns the exceeded limit as the end of a sentence, or `undefined`
 */
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
