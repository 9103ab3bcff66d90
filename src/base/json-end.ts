/** Finds the end of streamed JSON in linear time. */

export interface JsonEnd {
  add(text: string): void;
  /** True if the outermost object, array or string is closed and nothing follows it. Until then, parsing cannot succeed. */
  readonly isClosed: boolean;
}

const [SPACE, TAB, LINE_FEED, RETURN, QUOTE, BACKSLASH] = [0x20, 0x09, 0x0a, 0x0d, 0x22, 0x5c];
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [0x7b, 0x7d, 0x5b, 0x5d];

export function followJson(): JsonEnd {
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isClosed = false;
  let isBroken = false;

  function take(unit: number): void {
    if (unit === SPACE || unit === LINE_FEED || unit === RETURN || unit === TAB) return;
    if (isClosed) isBroken = true;
    else if (unit === QUOTE) inText = true;
    else if (unit === BRACE || unit === BRACKET) depth += 1;
    else if (unit === BRACE_END || unit === BRACKET_END) isClosed = (depth -= 1) <= 0;
  }

  return {
    get isClosed() {
      return isClosed && !isBroken;
    },
    add(text) {
      for (let at = 0; at < text.length && !isBroken; at += 1) {
        const unit = text.charCodeAt(at);
        if (!inText) take(unit);
        else if (isEscaped) isEscaped = false;
        else if (unit === BACKSLASH) isEscaped = true;
        else if (unit === QUOTE) {
          inText = false;
          isClosed = depth === 0;
        }
      }
    },
  };
}
