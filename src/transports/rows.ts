/** Bytes -> JSON in lines, or one JSON text over all of the body. */
import { isObject } from '../base/objects.js';
import { parseJson } from './read-fields.js';

interface FrameHandlers {
  event(frame: { data: string; event?: string | undefined; id?: string | undefined }): void;
  /** The server is alive and says nothing. */
  comment(): void;
  /** The limit was passed. Called once; nothing follows. */
  tooLong(): void;
}

export interface RowHandlers extends FrameHandlers {
  /** All of it was one JSON text, or is none. */
  whole(value: unknown): void;
}

export interface FrameReader {
  push(bytes: Uint8Array): void;
  /** A clean close: the last frame may lack its end. */
  close(): void;
}

/**
 * Reads lines in any slicing, ended by LF, CRLF or CR: inside JSON text none of these can stand. A body is rows once its first two lines are
 * objects, or its first, if rows are what the wire speaks; until then it may be one JSON text, which is told at its end. A last line
 * without its end counts only if it is a whole object: of what was cut off nothing is guessed.
 */
export function createRowReader(on: RowHandlers, maxLine: number, speaksRows: boolean): FrameReader {
  const decoder = new TextDecoder();
  /** The pieces of the line that has not ended. */
  let pieces: string[] = [];
  /** Lines of what may be one JSON text. */
  let whole: string[] | undefined = [];
  let length = 0;
  let open = true;

  function takeLine() {
    const line = pieces.join('').trim();
    pieces = [];
    if (!whole) length = 0;
    if (line === '') return;
    if (!whole) return on.event({ data: line });
    whole.push(line);
    const [first = ''] = whole;
    // The second line says what the first one was.
    if (whole.length > (speaksRows ? 1 : 2) || !isObject(parseJson(first)) || (whole.length === 2 && !isObject(parseJson(line)))) return;
    if (whole.length === 1 && !speaksRows) return;
    const rows = whole;
    whole = undefined;
    length = 0;
    for (const data of rows) on.event({ data });
  }

  function add(piece: string) {
    if (!open || piece === '') return;
    length += piece.length;
    if (length > maxLine) {
      open = false;
      pieces = [];
      whole = undefined;
      on.tooLong();
    } else pieces.push(piece);
  }

  return {
    push(bytes) {
      const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split(/[\r\n]/);
      add(first);
      for (const piece of rest) {
        if (open) takeLine();
        add(piece);
      }
      if (open) on.comment();
    },
    close() {
      if (!open) return;
      const last = pieces.join('').trim();
      if (!whole) {
        if (isObject(parseJson(last))) takeLine();
        return;
      }
      const lines = [...whole, last].filter((line) => line !== '' && !endMarks.includes(line));
      const value = parseJson(lines.join('\n'));
      if (value !== undefined || lines.length < 2) return on.whole(value);
      for (const data of lines) on.event({ data });
    },
  };
}

/** What a gateway may write behind a JSON text, as if it were a stream. */
const endMarks = ['[DONE]', 'data: [DONE]', 'data:[DONE]'];
