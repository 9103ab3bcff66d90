/**
 * Closes JSON that lacks one or two brackets at its end: small models write `}}]}` for `}}}]}`. The open brackets determine the missing
 * ones and their order, so there is at most one completion. Values are never invented: JSON that is cut elsewhere stays broken.
 */

/** Maximum number of missing brackets. If more are missing, other parts are likely missing too. */
const MOST = 2;
const DEEPEST = 64;

/**
 * Returns the source with the missing brackets. Undefined: nothing is missing, or more than brackets. Text around the JSON (a fence, tags)
 * is kept; the JSON begins with the first bracket and ends before the first character that cannot be JSON. Linear in its length.
 */
export function closeBrackets(source: string): string | undefined {
  const start = source.search(/[[{]/);
  if (start < 0) return undefined;
  const open: string[] = []; // the closing brackets still required, from the outside in
  let given = ''; // the last closing brackets in the source
  let begins = start; // the position of the first of them
  let ends = start;
  let at = start;
  let quoted = false;
  for (; at < source.length; at += 1) {
    const char = source[at]!;
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
      continue;
    }
    if (' \t\r\n'.includes(char)) continue;
    if ('`~<'.includes(char)) break;
    if (char === '}' || char === ']') {
      if (given === '') begins = at;
      given += char;
      ends = at + 1;
      if (given.length > open.length) return undefined;
      continue;
    }
    // No brackets are missing in the middle, as far as we can tell.
    for (const bracket of given) if (open.pop() !== bracket) return undefined;
    if (given !== '' && open.length === 0) return undefined;
    given = '';
    if (char === '"') quoted = true;
    else if (char === '{' || char === '[') {
      if (open.length === DEEPEST) return undefined;
      open.push(char === '{' ? '}' : ']');
    }
  }
  const missing = open.length - given.length;
  if (quoted || given === '' || missing < 1 || missing > MOST) return undefined;
  let found = 0;
  for (const bracket of open.toReversed()) if (bracket === given[found]) found += 1;
  if (found < given.length) return undefined;
  return source.slice(0, begins) + open.toReversed().join('') + source.slice(ends);
}
