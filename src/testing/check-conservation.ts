/** Conservation: every character ends in one segment, in order, or is markup. */
import type { Segment } from '../protocols/protocol.js';

/** Maximum length of markup that no pattern describes. */
const GAP = 512;

/** Text that is removed even without a call: a byte order mark, a closing reasoning tag without an opening one, empty reasoning. */
const DROPPED = /\ufeff|<\/?think(?:ing)?>/y;
/** A result in the marks of a built-in protocol, which is a model's echo. */
const ECHO =
  /<tool_result[\s>][^]*?<\/tool_result\s*>|<<<\[TOOL_RESULT\]>>>[^]*?<<<\[END_TOOL_RESULT\]>>>|```json\n\{"action": ?"tool_result"[^]*?\n```|\{"tool_call_result": ?\{.*\}\}/y;

/**
 * Throws an `Error` that names what was lost. Text may look like markup, so all ways to read it are followed. Several calls of one block
 * may each name the whole block as their source, or their own part of it.
 */
export function checkConservation(text: string, segments: readonly Segment[], markup?: RegExp) {
  let ends = new Set([0]);
  let before: { raw: string } | 'text' | 'reasoning' | undefined;
  for (const segment of segments) {
    if (segment.type === 'call-start' || segment.type === 'arguments' || segment.type === 'was-reasoning') continue;
    if (segment.type === 'call' && segment.flags?.includes('quoted')) continue;
    const isBlock = 'raw' in segment;
    const piece = isBlock ? segment.raw : segment.text;
    const next = new Set<number>();
    if (isBlock && typeof before === 'object' && before.raw.includes(piece)) ends.forEach((end) => next.add(end));
    const loose = markup === undefined && (before === 'reasoning' || typeof before === 'object' || segment.type !== 'text');
    for (const end of ends)
      for (const start of loose ? occurrences(text, piece, end) : skip(text, end, markup ?? DROPPED))
        if (text.startsWith(piece, start)) next.add(start + piece.length);
    if (next.size === 0) throw new Error(`Not in the text, or something before it was lost: ${JSON.stringify(piece)}`);
    if (segment.type === 'call-error' && segment.code === 'too_large') return; // the rules drop the rest of that call
    ends = next;
    before = isBlock ? { raw: piece } : segment.type === 'text' ? 'text' : 'reasoning';
  }
  const loose = markup === undefined && before !== undefined && before !== 'text';
  const isWhole = (end: number) => (loose && text.length - end <= GAP) || skip(text, end, markup ?? DROPPED).includes(text.length);
  if (![...ends].some(isWhole)) throw new Error(`Lost: ${JSON.stringify(text.slice(Math.max(...ends)))}`);
}

function occurrences(text: string, piece: string, from: number): number[] {
  if (piece === '') return [from];
  const found: number[] = [];
  for (let at = text.indexOf(piece, from); at !== -1 && at <= from + GAP; at = text.indexOf(piece, at + 1)) found.push(at);
  return found;
}

/** All positions that can be reached from `from` over markup, `from` included. */
function skip(text: string, from: number, markup: RegExp): number[] {
  const reached = [from];
  for (let at = from; at < text.length;) {
    markup.lastIndex = ECHO.lastIndex = at;
    const token = markup.exec(text)?.[0] || ECHO.exec(text)?.[0];
    if (!token) return reached;
    at += token.length;
    reached.push(at);
  }
  return reached;
}
