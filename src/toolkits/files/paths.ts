/**
 * Reads paths of a small file system with one root. A path has one normal form, `/notes/today.txt`. A path that could lead out of the root,
 * or that two readers could read in two ways, is rejected instead of guessed.
 */

/** `outside`: leads above the root. `name`: a part is not allowed as a name. */
export type PathProblem = 'none' | 'outside' | 'name' | 'long';

export type ReadPath = { ok: true; path: string; parts: readonly string[] } | { ok: false; problem: PathProblem };

const MOST_CHARS = 1000;
const MOST_PARTS = 32;
const MOST_BYTES = 255;

/** Control characters such as line feeds, invisible characters, and lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;
/** Characters that look like a slash or become one, and those that systems reserve. */
const FORBIDDEN = /[\\:*?"<>|\u2044\u2215\u2216\u29F5\u29F8\u29F9\uFE68\uFF0F\uFF3C]/;
const ESCAPED = /%(?:u[0-9a-f]{4}|[0-9a-f]{2})|&(?:#\w+|[a-z]+);|\\u[0-9a-f]{4}/i;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;

/** Normalizes a written path. `.` and `..` are resolved within the root. */
export function readPath(written: unknown): ReadPath {
  if (typeof written !== 'string' || written.trim() === '') return { ok: false, problem: 'none' };
  if (written.length > MOST_CHARS) return { ok: false, problem: 'long' };
  const parts: string[] = [];
  for (const part of written.normalize('NFC').split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return { ok: false, problem: 'outside' };
      continue;
    }
    if (!isName(part)) return { ok: false, problem: 'name' };
    parts.push(part);
  }
  if (parts.length > MOST_PARTS) return { ok: false, problem: 'long' };
  return { ok: true, path: `/${parts.join('/')}`, parts };
}

function isName(part: string): boolean {
  if (UNSEEN.test(part) || FORBIDDEN.test(part) || ESCAPED.test(part) || DEVICE.test(part)) return false;
  // Some systems drop blanks and dots at the end of a name, which would make it another file.
  if (/^\s|[\s.]$/u.test(part) || part.startsWith('~')) return false;
  // Fullwidth dots or slashes and ellipses become plain ones in a reader that normalizes them.
  const plain = part.normalize('NFKC');
  if (/[/\\]/.test(plain) || /^\.+$/.test(plain) || (plain !== part && plain.includes('..'))) return false;
  return new TextEncoder().encode(part).length <= MOST_BYTES;
}
