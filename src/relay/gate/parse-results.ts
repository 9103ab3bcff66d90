/** Reads the results in a page's messages, and neutralizes text that only looks like a result. */

export interface GateResult {
  id: string;
  /** The tool's name, if the protocol writes it. */
  name?: string;
  status?: string;
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"';
/** The beginnings of results, exactly as our protocols write them. No part can match into the next one, so nothing backtracks. */
const heads = {
  xml: /<tool_result name="([^"<>]*)" id="([^"<>]*)" status="([a-z]*)">/g,
  json: new RegExp(`\\{"tool_call_result":\\{"toolCallId":${QUOTED},`, 'g'),
  action: new RegExp(`\\{"action":"tool_result","name":${QUOTED},"id":${QUOTED},"status":"([a-z]*)",`, 'g'),
  vcp: /<<<\[TOOL_RESULT\]>>>\ntool_name:「始」([^「」\n]*)「末」\nrequest_id:「始」([^「」\n]*)「末」\nstatus:「始」([a-z]*)「末」/g,
};

const headOf: Readonly<Record<string, keyof typeof heads>> = {
  'xml-invoke': 'xml',
  'json-action': 'action',
  vcp: 'vcp',
  'json-tool-calls': 'json',
  'tool-code': 'json',
};

/** Text that may look like the beginning of a result in any of our protocols, with any spacing. */
const LOOKS_XML = /<(?=(?:antml:)?tool_result(?![A-Za-z0-9_]))/gi;
const LOOKS_VCP = /<(?=<{0,2}\[TOOL_RESULT)/gi;
const LOOKS_JSON = /("tool_call|"action"\s{0,20}:\s{0,20}"tool)_(?=result")/gi;

/** Returns the text without anything that a model could take for a result. Idempotent. */
export function withoutResults(text: string): string {
  return text.replace(LOOKS_XML, '&lt;').replace(LOOKS_VCP, '&lt;').replace(LOOKS_JSON, '$1-');
}

/** Returns the results in a message of the page, and the message with all other result-like text neutralized. */
export function readResults(protocol: string, text: string): { results: GateResult[]; text: string } {
  const kind = Object.hasOwn(headOf, protocol) ? headOf[protocol]! : undefined;
  if (!kind) return { results: [], text: withoutResults(text) };
  const results: GateResult[] = [];
  let clean = '';
  let at = 0;
  for (const match of text.matchAll(heads[kind])) {
    results.push(resultOf(kind, match.slice(1)));
    clean += withoutResults(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return { results, text: clean + withoutResults(text.slice(at)) };
}

function resultOf(kind: keyof typeof heads, parts: string[]): GateResult {
  const plain = kind === 'xml' ? unescapeAttribute : kind === 'vcp' ? (part: string) => part : unescapeJson;
  const [first = '', second, status] = parts.map(plain);
  if (kind === 'json') return { id: first };
  return { name: first, id: second ?? '', ...(status !== undefined && { status }) };
}

const unescapeAttribute = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

function unescapeJson(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
