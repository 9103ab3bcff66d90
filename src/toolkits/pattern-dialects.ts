/**
 * Translates patterns of other dialects. JSON Schema uses JavaScript's with the flag `u`; documents contain patterns without it (`[\w-.]`,
 * `\:`), with slashes around them, and those of other languages (`\A`, `\z`, `(?P<name>…)`). Returns an equivalent pattern if there is one.
 */

/** Slashes around a pattern with an anchor. Nothing can precede the start or follow the end, so the slashes cannot be part of it. */
const DELIMITED = /^\/(\^[^]*|[^]*\$)\/([a-z]*)$/;
/** Flags that change which texts match. */
const TELLING_FLAGS = /[^gusy]/;

/** Returns an equivalent pattern; `undefined` if it is invalid or its meaning cannot be preserved. */
export function translatePattern(pattern: string): string | undefined {
  const [, inside = pattern, flags = ''] = DELIMITED.exec(pattern) ?? [];
  if (TELLING_FLAGS.test(flags)) return undefined;
  if (isPattern(inside)) return inside;
  const rewritten = rewrite(inside);
  return rewritten !== undefined && isPattern(rewritten) ? rewritten : undefined;
}

function isPattern(source: string): boolean {
  try {
    return Boolean(new RegExp(source, 'u'));
  } catch {
    return false;
  }
}

/** Escapes with a meaning under `u`; other letters mean different things in other languages. */
const KNOWN = /^[dDwWsSbBnrtvf0-9xucpPk^$\\.*+?()[\]{}|/]$/;
const ANCHORS: Readonly<Record<string, string>> = { __proto__: null as never, A: '^', Z: '$', z: '$' };

function rewrite(pattern: string): string | undefined {
  let written = '';
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    if (char === '[') {
      const end = endOfClass(pattern, at);
      const inside = end === undefined ? undefined : rewriteClass(pattern.slice(at + 1, end));
      if (end === undefined || inside === undefined) return undefined;
      written += `[${inside}]`;
      at = end + 1;
      continue;
    }
    if (char === '\\') {
      const next = pattern[at + 1] ?? '';
      const escaped = KNOWN.test(next) ? `\\${next}` : (ANCHORS[next] ?? literal(next));
      if (escaped === undefined) return undefined;
      written += escaped;
      at += 2;
      continue;
    }
    if (pattern.startsWith('(?P<', at)) {
      written += '(?<';
      at += 4;
      continue;
    }
    const braces = char === '{' ? /^\{\d+(?:,\d*)?\}/.exec(pattern.slice(at, at + 24)) : null;
    const isNamed = char === '{' && /\\(?:[pPu])$/.test(written);
    const named = isNamed ? /^\{[^{}]{1,60}\}/.exec(pattern.slice(at, at + 64)) : null;
    const whole = (braces ?? named)?.[0];
    written += whole ?? (char === '{' || char === '}' || char === ']' ? `\\${char}` : char);
    at += whole?.length ?? 1;
  }
  return written;
}

/** Returns a character that was escaped needlessly; `undefined` for a letter, whose meaning is unknown. */
const literal = (char: string): string | undefined => (char === '' || /[A-Za-z]/.test(char) ? undefined : char);

function endOfClass(pattern: string, start: number): number | undefined {
  for (let at = start + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at;
    // POSIX classes such as `[[:alpha:]]` are not supported.
    else if (pattern[at] === '[' && /[:.=]/.test(pattern[at + 1] ?? '')) return undefined;
  }
  return undefined;
}

function rewriteClass(inside: string): string | undefined {
  const tokens = inside.match(/\\(?:[pP]\{[^{}]*\}|u\{[^{}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^])|[^]/gu) ?? [];
  const isSet = (token: string | undefined) => token !== undefined && /^\\[dDwWsSpP]/.test(token);
  const written = tokens.map((token, at) => {
    // A set cannot be the end of a range, so a dash next to one is literal.
    if (token === '-' && (isSet(tokens[at - 1]) || isSet(tokens[at + 1]))) return '\\-';
    if (!token.startsWith('\\') || token.length > 2) return token;
    return KNOWN.test(token[1]!) || token[1] === '-' ? token : literal(token[1]!);
  });
  return written.includes(undefined) ? undefined : written.join('');
}
