/**
 * Repairs native arguments that some services garble: repeated, cumulative, encoded twice, or with raw line breaks. Missing parts are never
 * added.
 */
import { parseExactly } from '../base/exact-json.js';
import { isObject } from '../base/objects.js';

/** Returns a complete object as normalized JSON text, so that equal objects give equal text. Empty for anything else. */
export function objectText(source: string): string {
  const value = parse(source);
  return isObject(value) ? JSON.stringify(value) : '';
}

/** @returns JSON text of an object, or undefined if these pieces cannot be repaired */
export function repairArguments(pieces: readonly string[]): string | undefined {
  const text = withoutRepeats(pieces);
  const value = parse(text) ?? parse(escapeControls(text));
  const inner = typeof value === 'string' ? parse(value) : value;
  return isObject(inner) && Object.keys(inner).length > 0 ? JSON.stringify(inner) : undefined;
}

/** Joins the pieces. A piece that begins with all preceding ones, ignoring blanks, replaces them; so does an object after an empty one. */
function withoutRepeats(pieces: readonly string[]): string {
  let kept: string[] = [];
  let squeezed: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    const short = squeeze(piece);
    if (short.startsWith('{') && short.length >= length && length > 0) {
      const before = squeezed.join('');
      if (short.startsWith(before) || before === '{}') [kept, squeezed, length] = [[], [], 0];
    }
    kept.push(piece);
    squeezed.push(short);
    length += short.length;
  }
  const text = kept.join('');
  // The empty object and the real one may have come in one piece.
  return text.startsWith('{}') && text.length > 2 ? text.slice(2) : text;
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

/** Escapes line breaks and tabs inside strings, as JSON requires. */
function escapeControls(text: string): string {
  let inside = false;
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') inside = !inside;
    if (inside && char === '\\') out += char + (text[++at] ?? '');
    else out += inside && char < ' ' ? JSON.stringify(char).slice(1, -1) : char;
  }
  return out;
}

function parse(source: string): unknown {
  try {
    return parseExactly(source);
  } catch {
    return undefined;
  }
}
