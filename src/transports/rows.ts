/** Reads bytes as lines of JSON, or as one JSON text. */
import { isObject } from '../base/objects.js';
import { parseJson } from './read-fields.js';

interface FrameHandlers {
  event(frame: { data: string; event?: string | undefined; id?: string | undefined }): void;
  /** The server is alive but sends no content. */
  comment(): void;
  /** The limit was exceeded. Called once; nothing follows. */
  tooLong(): void;
}

export interface RowHandlers extends FrameHandlers {
  /** The complete body is one JSON text; undefined if it is not valid JSON. */
  whole(value: unknown): void;
}

export interface FrameReader {
  push(bytes: Uint8Array): void;
  /** Handles a clean close: the last frame may lack its end. */
  close(): void;
}

/** Maximum number of lines that are read at once, without a turn for other tasks. */
export const MOST_LINES = 20_000;

/**
 * Creates a reader of lines in any chunks, ended by LF, CRLF or CR, which cannot occur inside JSON text. A body counts as rows once its
 * first two lines are objects, or its first one, if the wire uses rows; until then it may be one JSON text, which is reported at its end. A
 * last line without its end counts only if it is a complete object: cut-off text is never guessed.
 */
export function createRowReader(on: RowHandlers, maxLine: number, speaksRows: boolean): FrameReader {
  const decoder = new TextDecoder();
  /** The pieces of the line that has not ended. */
  let pieces: string[] = [];
  /** Lines of a possible single JSON text. */
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
    // The second line determines the kind of the first one.
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
      if (value !== undefined || lines.length < 2 || lines.length > MOST_LINES) return on.whole(value);
      for (const data of lines) on.event({ data });
    },
  };
}

/** End markers that a gateway may append to a JSON text, as if it were a stream. */
const endMarks = ['[DONE]', 'data: [DONE]', 'data:[DONE]'];
