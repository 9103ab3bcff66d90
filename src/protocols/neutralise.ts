/**
 * Makes text that comes from outside harmless for the model: what it reads there must not look like a call, a result or a code fence
 * of any of our notations, for models imitate what the transcript shows (contract §7 E, X-07, faults 106 and 109).
 *
 * Only the model sees the outcome; people and the page get the text as it was.
 */

/** A tag of ours or of a notation that models know, opening or closing, with or without a namespace. Every alternative is a fixed word: nothing can back-track. */
const TAG =
  /<(?=\/?(?:antml:)?(?:tool_use|tool_result|tool_code|tool_call|function_calls|invoke|parameter|thinking|think)(?![A-Za-z0-9_]))/gi;
/** The marks of `vcp`: `<<<[TOOL_REQUEST]>>>` and its kin. */
const VCP_MARK = /<(?=<{0,2}\[(?:END_)?TOOL_)/gi;
const VCP_QUOTE = /「(?=[始末])/g;
/** What makes JSON a call: the key `"tool_calls"`, the action `"tool_call"`; also where the JSON is itself in a JSON string. */
const JSON_MARK = /"(?=tool_calls?\\?")/gi;
/** Two backticks behind a third. */
const FENCE = /`(?=``)/g;

/** Neutralises the marks of all built-in protocols. Text without marks comes back unchanged; doing it twice changes nothing more. */
export function neutralise(text: string): string {
  return text.replace(TAG, '&lt;').replace(VCP_MARK, '&lt;').replace(VCP_QUOTE, '『').replace(JSON_MARK, '“').replace(FENCE, '` ');
}

/** Text for a double-quoted attribute of an envelope. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&"<>\r\n]/g, (char) => ESCAPES[char]!);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', '\r': ' ', '\n': ' ' };
