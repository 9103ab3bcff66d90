/**
 * Closes JSON that lacks one or two brackets at its end: small models write `}}]}` for `}}}]}`. What is open says which brackets are missing,
 * and in which order; so there is one completion or none. Values are never made up: what is cut anywhere else stays broken.
 */

/** More missing brackets say that something else is missing, too. */
const MOST = 2;
const DEEPEST = 64;

/**
 * The source with the missing brackets, or undefined: nothing is missing, or more than brackets. What stands around the JSON (a fence, tags) stays;
 * JSON begins with the first bracket and ends before what can stand in no JSON. Linear in its length.
 */
export function closeBrackets(source: string): string | undefined {
  const start = source.search(/[[{]/);
  if (start < 0) return undefined;
  const open: string[] = []; // what has to close, from the outside in
  let given = ''; // the closing brackets that were written last
  let begins = start; // where they begin
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
    // No brackets are missing in the middle, as far as it can be told.
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
