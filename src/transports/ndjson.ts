/** Bytes -> lines of JSON, one frame a line (`application/x-ndjson`). */
import { isObject } from '../base/objects.js';
import type { Framing } from './body.js';
import { parseJson } from './read-fields.js';

/**
 * Lines in any slicing, ended by LF, CRLF or CR: inside JSON text none of these can stand. Blank lines are signs of life. A last line
 * without its end counts only if it is a whole object: of what was cut off nothing is guessed.
 */
export const ndjson: Framing = {
  types: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],

  create(on, maxLine) {
    const decoder = new TextDecoder();
    let pieces: string[] = [];
    let length = 0;
    let open = true;

    function takeLine(): string {
      const line = pieces.join('').trim();
      pieces = [];
      length = 0;
      return line;
    }

    return {
      push(bytes) {
        const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split(/[\r\n]/);
        add(first);
        for (const piece of rest) {
          if (!open) return;
          const line = takeLine();
          if (line === '') on.comment();
          else on.event({ data: line });
          add(piece);
        }
      },
      close() {
        const line = takeLine();
        if (open && isObject(parseJson(line))) on.event({ data: line });
      },
    };

    function add(piece: string) {
      if (!open || piece === '') return;
      length += piece.length;
      if (length > maxLine) {
        open = false;
        takeLine();
        on.tooLong();
      } else pieces.push(piece);
    }
  },
};
