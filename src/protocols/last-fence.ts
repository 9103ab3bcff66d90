/** Remembers the last fenced code block of a message while nothing but blanks follows it. Holds up to `limit` UTF-16 units. */
export interface LastFence {
  open(): void;
  close(): void;
  /** Takes shown text, cut at the lines that open and close a fence. */
  add(text: string): void;
  drop(): void;
  /** What stands between the fence lines, if the fence was closed and is the last thing shown. */
  content(): string | undefined;
}

export function createLastFence(limit: number): LastFence {
  let pieces: string[] | undefined;
  let length = 0;
  let closed = false;

  function open() {
    pieces = [];
    length = 0;
    closed = false;
  }

  function close() {
    closed = true;
  }

  function drop() {
    pieces = undefined;
  }

  function add(text: string) {
    if (!pieces) return;
    if (closed) {
      if (text.trim() !== '') drop();
      return;
    }
    length += text.length;
    if (length > limit) drop();
    else pieces.push(text);
  }

  function content(): string | undefined {
    if (!pieces || !closed) return undefined;
    const withCloser = pieces.join('').trimEnd();
    return withCloser.slice(0, Math.max(withCloser.lastIndexOf('\n'), withCloser.lastIndexOf('\r')) + 1);
  }

  return { open, close, add, drop, content };
}
