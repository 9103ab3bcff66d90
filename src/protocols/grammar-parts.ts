/** Building blocks of grammars: literals, general rules, and JSON Schema patterns in GBNF. */

/** Returns a GBNF literal that matches exactly this text. */
export function literal(text: string): string {
  return `"${escape(text, /["\\]/g)}"`;
}

function escape(text: string, special: RegExp): string {
  return text.replace(special, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}

/** General rules. Strings are never empty, because an empty value should be omitted. */
export const GENERAL_RULES = `json-value ::= json-object | json-array | json-string | json-number | "true" | "false" | "null"
comma ::= "," " "?
json-object ::= "{" ( json-member ( comma json-member )* )? "}"
json-member ::= json-string ":" " "? json-value
json-array ::= "[" ( json-value ( comma json-value )* )? "]"
json-string ::= "\\"" json-char+ "\\""
json-char ::= [^"\\\\\\x00-\\x1F] | "\\\\" ( ["\\\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] )
json-integer ::= "-"? ( "0" | [1-9] [0-9]* )
json-number ::= json-integer ( "." [0-9]+ )?
xml-text ::= [^<\\x00-\\x08]+
marked-text ::= [^「」\\x00-\\x08]+`;

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const FORMATS = new Map<unknown, string>([
  ['date', DATE],
  ['date-time', `${DATE}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})`],
  ['uuid', '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'],
]);

/** Longer patterns, and larger repetition counts, cost a server too much. */
const MOST_CHARS = 300;
const MOST_TIMES = 64;

/**
 * Converts a pattern to a rule if it is anchored at both ends and uses only features of both languages: characters, classes, groups,
 * alternatives and repetitions. `undefined` for anything else, and for characters that the text cannot contain.
 */
export function patternRule(pattern: unknown, format: unknown, text: 'json' | 'xml' | 'marks'): string | undefined {
  const bound = typeof pattern === 'string' ? /^\^([^]*)\$$/.exec(pattern)?.[1] : FORMATS.get(format);
  if (bound === undefined || bound.length > MOST_CHARS) return undefined;
  const forbidden = text === 'json' ? /["\\]/ : text === 'xml' ? /[<]/ : /[「」]/;
  let rule = '';
  let depth = 0;
  let repeatable = false;
  for (let at = 0; at < bound.length;) {
    const rest = bound.slice(at);
    const [group] = /^\((?:\?:)?(?!\?)/.exec(rest) ?? [];
    const [set] = /^\[(?:[^\\\][]|\\[dw\-.])+\]/.exec(rest) ?? [];
    const [times, least = '', , most] = /^\{(\d{1,3})(,(\d{0,3}))?\}/.exec(rest) ?? [];
    const [escaped] = /^\\[dw\-./:()[\]{}+*?|^$]/.exec(rest) ?? [];
    const [plain] = /^[^\\()[\]{}+*?|^$.]/u.exec(rest) ?? [];
    if (group) {
      rule += '( ';
      depth += 1;
      at += group.length;
      repeatable = false;
    } else if (rest.startsWith(')') && depth > 0) {
      rule += ') ';
      depth -= 1;
      at += 1;
      repeatable = true;
    } else if (rest.startsWith('|')) {
      // Outside of a group, `|` would separate the anchors: `^a|b$` is not `^(a|b)$`.
      if (depth === 0) return undefined;
      rule += '| ';
      at += 1;
      repeatable = false;
    } else if (set) {
      const inside = set.slice(1, -1).replaceAll('\\d', '0-9').replaceAll('\\w', 'A-Za-z0-9_').replaceAll('\\.', '.');
      // A negated class may include the characters that end the text.
      if (inside.startsWith('^') || forbidden.test(inside)) return undefined;
      rule += `[${inside}] `;
      at += set.length;
      repeatable = true;
    } else if (escaped || plain) {
      const one = escaped ?? plain ?? '';
      const char = escaped ? one.slice(1) : one;
      if (forbidden.test(char)) return undefined;
      rule += escaped && char === 'd' ? '[0-9] ' : escaped && char === 'w' ? '[A-Za-z0-9_] ' : `${literal(char)} `;
      at += one.length;
      repeatable = true;
    } else if (repeatable && (times ?? '') !== '' && Number(most || least) <= MOST_TIMES) {
      rule = `${rule.trimEnd()}${times ?? ''} `;
      at += times?.length ?? 0;
      repeatable = false;
    } else if (repeatable && /^[*+?](?![?+])/.test(rest)) {
      rule = `${rule.trimEnd()}${rest[0] ?? ''} `;
      at += 1;
      repeatable = false;
    } else return undefined;
  }
  return depth === 0 && rule !== '' ? rule.trim() : undefined;
}
