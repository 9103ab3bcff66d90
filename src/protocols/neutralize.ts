/**
 * Neutralizes untrusted content for the model: it must not look like a call, a result or a code fence of any of our protocols, because
 * models imitate the transcript.
 *
 * Only the model sees the outcome. The user and the page get the original text.
 */

/**
 * A tag of ours or of a model dialect, opening or closing, with or without a namespace: known words, any name with `_` (no HTML tag has
 * one), and tokens with bars. All lengths are bounded, so it cannot backtrack.
 */
const TAG =
  /<(?=\/?(?:[\w-]{1,20}:)?(?:(?:tool|toolcall|function|call)s?|invoke|parameter|thinking|think|thoughts?|reasoning)(?![A-Za-z0-9_])|\/?[A-Za-z][A-Za-z0-9]{0,63}_|\/?[|｜]|[\w:]{1,40}\|>)/gi;
/** Matches `[TOOL_CALLS]` and similar marks. */
const SQUARE = /\[(?=\/?(?:TOOL_CALLS|ARGS|CALL_ID|THINK|think)\]|e~\[)|◁(?=\/?think▷)/g;
/** Matches `>>>name` at the start of a line. */
const QUOTES = /^>(?=>>[A-Za-z_])/gm;
/** The lines of a ReAct call. */
const ACTION = /Action(?=:\s{0,20}[\w.-]{1,64}\s{0,20}Action Input:)/g;
/** The marks of `vcp`: `<<<[TOOL_REQUEST]>>>` and similar ones. */
const VCP_MARK = /<(?=<{0,2}\[(?:END_)?TOOL_)/gi;
const VCP_QUOTE = /「(?=[始末])/g;
/** Runs of three or more backticks or tildes. Tildes can fence JSON as well. */
const FENCE = /([`~])(?=\1\1)/g;
/**
 * JSON that is a call without a fence: an object that begins with `tool_calls`, and `"action": "tool_call"` as a complete message; also
 * inside a JSON string. One character replaces another, so it stays JSON of the same length. No backtracking: each blank is read once.
 */
const JSON_CALL = /(\{\s*\\?["']tool|\\?["']?action\\?["']?\s*:\s*\\?["']tool)_(?=calls?\\?["'])/gi;

/**
 * Neutralizes the marks of all built-in protocols and all dialects, so that none of our parsers finds a call in the outcome. Text without
 * marks is unchanged, and applying it twice has no further effect.
 */
export function neutralise(text: string): string {
  return neutraliseDialects(text).replace(VCP_MARK, '&lt;').replace(VCP_QUOTE, '『').replace(FENCE, '$1 ').replace(JSON_CALL, '$1-');
}

/** Neutralizes only the marks of dialects, which are read alongside native calls, too. */
export const neutraliseDialects = (text: string): string =>
  text.replace(TAG, '&lt;').replace(SQUARE, '［').replace(QUOTES, '＞').replace(ACTION, 'Action ');

/** Escapes text for a double-quoted attribute of an envelope. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&"<>\r\n]/g, (char) => ESCAPES[char]!);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', '\r': ' ', '\n': ' ' };
