/**
 * What has arrived, for the log at its lowest level. Line by line, never piece by piece: a secret that came in two pieces would match no
 * pattern in either of them.
 */
import type { Log } from '../logging.js';
import { HIDDEN } from '../tools/sensitive.js';

/** UTF-16 units of one line that are waited for; what is longer goes out in parts, each without its last word. */
const LONGEST = 2_000;

export interface ChunkLog {
  /** `hidden`: nothing of it may be told. */
  add(text: string, hidden: boolean): void;
  end(): void;
}

export function createChunkLog(log: Log): ChunkLog {
  let pieces: string[] = [];
  let length = 0;
  let hides = false;

  const tell = (text: string) => {
    const shown = hides ? HIDDEN : text;
    if (text !== '') log.debug('stream.chunk', 'Chunk', { text: shown });
  };

  function flush(whole: boolean): void {
    const text = pieces.join('');
    const at = whole ? text.length : endOfLines(text);
    tell(text.slice(0, at));
    pieces = at < text.length ? [text.slice(at)] : [];
    length = text.length - at;
    hides &&= length > 0;
  }

  return {
    add(text, hidden) {
      pieces.push(text);
      length += text.length;
      hides ||= hidden;
      if (text.includes('\n') || length > LONGEST) flush(false);
    },
    end: () => flush(true),
  };
}

/** Where the last whole line ends; not one that a value may follow, such as `password:`. 0 = nowhere yet. */
function endOfLines(text: string): number {
  let at = text.lastIndexOf('\n');
  while (at >= 0 && /[:=：]["']?\s{0,3}$/.test(text.slice(Math.max(0, at - 8), at + 1)))
    at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
  if (at >= 0) return at + 1;
  return text.length > LONGEST ? Math.max(text.slice(0, LONGEST - 512).lastIndexOf(' '), 0) || LONGEST : 0;
}
