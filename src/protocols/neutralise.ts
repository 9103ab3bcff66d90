/**
 * Makes text that comes from outside harmless for the model: what it reads there must not look like a call, a result or a code fence
 * of any of our notations, for models imitate what the transcript shows.
 *
 * Only the model sees the outcome; people and the page get the text as it was.
 */

/**
 * A tag of ours or of a dialect of a model, opening or closing, with or without a namespace: known words, any name with `_`, which no tag of HTML
 * has, and tokens with bars. All lengths are bounded: nothing can back-track.
 */
const TAG =
  /<(?=\/?(?:[\w-]{1,20}:)?(?:(?:tool|toolcall|function|call)s?|invoke|parameter|thinking|think)(?![A-Za-z0-9_])|\/?[A-Za-z][A-Za-z0-9]{0,63}_|\/?[|｜]|[\w:]{1,40}\|>)/gi;
/** `[TOOL_CALLS]` and its kin. */
const SQUARE = /\[(?=\/?(?:TOOL_CALLS|ARGS|CALL_ID|THINK)\]|e~\[)/g;
/** `>>>name` at the start of a line. */
const QUOTES = /^>(?=>>[A-Za-z_])/gm;
/** The lines of a call in ReAct. */
const ACTION = /Action(?=:\s{0,20}[\w.-]{1,64}\s{0,20}Action Input:)/g;
/** The marks of `vcp`: `<<<[TOOL_REQUEST]>>>` and its kin. */
const VCP_MARK = /<(?=<{0,2}\[(?:END_)?TOOL_)/gi;
const VCP_QUOTE = /「(?=[始末])/g;
/** Two backticks behind a third, or tildes, which fence JSON as well. */
const FENCE = /([`~])(?=\1\1)/g;
/**
 * JSON that is a call without any fence: an object that begins with `tool_calls`, and `"action": "tool_call"` as the whole of a message; also
 * where it stands in a JSON string. One character becomes another, so it stays JSON, of the same length. Each blank is looked at once.
 */
const JSON_CALL = /(\{\s*\\?["']tool|\\?["']?action\\?["']?\s*:\s*\\?["']tool)_(?=calls?\\?["'])/gi;

/**
 * Neutralises the marks of all built-in protocols and of all dialects: none of our parsers finds a call in the outcome. Text without marks comes back
 * unchanged; doing it twice changes nothing more.
 */
export function neutralise(text: string): string {
  return neutraliseDialects(text).replace(VCP_MARK, '&lt;').replace(VCP_QUOTE, '『').replace(FENCE, '$1 ').replace(JSON_CALL, '$1-');
}

/** Only the marks of dialects, which are read beside native calls, too. */
export const neutraliseDialects = (text: string): string =>
  text.replace(TAG, '&lt;').replace(SQUARE, '［').replace(QUOTES, '＞').replace(ACTION, 'Action ');

/** Text for a double-quoted attribute of an envelope. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&"<>\r\n]/g, (char) => ESCAPES[char]!);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', '\r': ' ', '\n': ' ' };
