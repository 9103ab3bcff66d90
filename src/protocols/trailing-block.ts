/**
 * Remembers the last fenced code block or quotation of a message while only blanks follow it, the blocks right before it, and a message
 * that consists of one object or list. Holds up to `limit` UTF-16 units of each kind.
 */
export interface TrailingBlock {
  /** Opens a block. A quotation opens after the mark of its first line. */
  open(isQuote: boolean): void;
  close(): void;
  /** Takes shown text, split at the lines that open and close a fence. */
  add(text: string): void;
  drop(): void;
  /**
   * Returns the text between the fence lines, if the fence was closed and is the last thing shown; a quotation without its marks; or the
   * message.
   */
  content(): string | undefined;
  /** Returns the contents of the fenced blocks before it, with only blanks between them. */
  earlier(): readonly string[];
}

/** The line that opens a fence, or its beginning. */
const FENCE_LINE = /^[`~][^\n]{0,100}\n?$/;

/** Maximum number of adjacent blocks that are remembered. */
const MOST = 50;

/** @param watchesMessage True if a message that consists of one object or list counts. */
export function createTrailingBlock(limit: number, watchesMessage = false): TrailingBlock {
  let pieces: string[] | undefined = watchesMessage ? [] : undefined;
  let length = 0;
  let closed = false;
  let kind: 'blank' | 'message' | 'fence' | 'quote' = 'blank';
  let behind = ''; // after a closed fence: the line that may open the next one
  let earlier: string[] = [];
  let earlierLength = 0;

  function open(isQuote: boolean) {
    const last = kind === 'fence' && closed && !isQuote ? inFence() : undefined;
    earlierLength = last === undefined ? 0 : earlierLength + length;
    if (last === undefined || earlierLength > limit || earlier.length === MOST) earlier = [];
    if (last !== undefined) earlier.push(last);
    behind = '';
    kind = isQuote ? 'quote' : 'fence';
    pieces = [];
    length = 0;
    closed = false;
  }

  function close() {
    closed = true;
  }

  function drop() {
    if (kind !== 'blank') pieces = undefined;
    earlier = [];
  }

  function add(text: string) {
    if (!pieces) return;
    if (closed) {
      behind = (behind + text).trimStart();
      if (behind !== '' && (kind !== 'fence' || !FENCE_LINE.test(behind))) drop();
      return;
    }
    if (kind === 'blank' && text.trim() !== '') {
      kind = 'message';
      if (!/[[{]/.test(text.trimStart().charAt(0))) return drop();
    }
    length += text.length;
    if (length > limit) drop();
    else pieces.push(text);
  }

  function content(): string | undefined {
    if (kind === 'message') return pieces?.join('');
    if (kind === 'quote') return pieces?.join('').replace(/^ {0,3}> ?/gm, '');
    return closed && behind === '' ? inFence() : undefined;
  }

  function inFence(): string | undefined {
    if (!pieces) return undefined;
    const withCloser = pieces.join('').trimEnd();
    return withCloser.slice(0, Math.max(withCloser.lastIndexOf('\n'), withCloser.lastIndexOf('\r')) + 1);
  }

  return { open, close, add, drop, content, earlier: () => earlier };
}
