/**
 * The marks that chat templates of models put around calls, by the text between `<` and `>`, with their dialect. The marks of a dialect
 * vary by version and by server, so they are matched by name, ignoring bars and namespaces.
 */
import type { Cursor } from './cursor.js';

export interface Mark {
  /**
   * The role of the mark. `open` and `close` enclose calls, `plain` precedes the answer, and `stop` ends a reply. Text mode reads the marks
   * around reasoning.
   */
  kind: 'open' | 'close' | 'plain' | 'stop';
  /** The dialect of the mark. Missing if several dialects have it. */
  dialect?: string;
}

/** Tags in any case, after an optional namespace. `''`: several dialects have the tag. */
const TAGS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  tool_call: '',
  tool_calls: '',
  function_call: '',
  function_calls: '',
  tool_use: '',
  tool_code: '',
  longcat_tool_call: 'hermes',
  toolcall: 'nemotron',
};
/** Tags inside a call whose end tag may be left over. */
const INNER = [
  'invoke',
  'function',
  'parameter',
  'param',
  'tool',
  'call',
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'arg_value',
  '_call',
];
const NAME_SPACE = /^(\|{1,2}DSML\|{1,2}|[A-Za-z]{1,16}:)?(\w{1,30})$/;

/** Tokens, which have a bar on at least one side. */
const TOKENS: Readonly<Record<string, readonly [kind: Mark['kind'], dialect?: string]>> = {
  __proto__: null as never,
  tool_calls_section_begin: ['open', 'kimi'],
  tool_call_section_begin: ['open', 'kimi'],
  tool_calls_section_end: ['close'],
  tool_call_section_end: ['close'],
  tool_calls_begin: ['open', 'deepseek'],
  tool_call_begin: ['open'],
  tool_calls_end: ['close'],
  tool_call_end: ['close'],
  tool_call_start: ['open', 'lfm2'],
  tool_list_start: ['open', 'lfm2'],
  START_ACTION: ['open', 'command'],
  END_ACTION: ['close'],
  python_tag: ['open', 'llama'],
  python_start: ['open', 'llama'],
  python_end: ['close'],
  tools_prefix: ['open'],
  tools_suffix: ['close'],
  function_call: ['open'],
  action_start: ['open'],
  plugin: ['open'],
  action_end: ['close'],
  START_RESPONSE: ['plain'],
  END_RESPONSE: ['plain'],
  START_TEXT: ['plain'],
  END_TEXT: ['plain'],
};

const STOPS = new Set(
  [
    'end_of_msg',
    'message_sep',
    'im_end',
    'eom_id',
    'eom',
    'eot_id',
    'eot',
    'end',
    'return',
    'call',
    'endoftext',
    'end_of_text',
    'end_of_sentence',
  ].concat(['END_OF_TURN_TOKEN', 'end_of_turn', 'turn', 'observation', 'user', 'assistant', 'im_start', 'eos', 'separator']),
);
/** Stops without bars that are not HTML tags. */
const PLAIN_STOPS = new Set(['end_of_turn', 'eos', 'end_of_text', 'end_of_sentence', 'end_of_utterance', 'seed:eos', '/s']);

/** The parts of a message of Kimi K3. A cursor returns their tags with a plus sign. */
const PARTS: Readonly<Record<string, Mark['kind']>> = {
  __proto__: null as never,
  '+tools': 'open',
  '/+tools': 'close',
  '/+call': 'close',
  '/+argument': 'close',
  '+response': 'plain',
  '/+response': 'plain',
  '/+message': 'plain',
};

/** The last word of each mark, for a quick check: most tags of a text are not marks. */
const WORDS = new Set(
  [
    ...Object.keys(TAGS),
    ...INNER,
    ...Object.keys(TOKENS),
    ...STOPS,
    's',
    'response',
    'message',
    'argument',
    'tools',
    'calls',
    'end_of_utterance',
  ].map((word) => word.toLowerCase()),
);

/** Checks whether a mark may have this name, in lower case. */
export const isMarkName = (name: string): boolean => WORDS.has(name);

/** Quickly checks whether a mark may begin here. Most text after one of these characters is not a mark. */
export function mayBeMark(text: string, at: number): boolean {
  const next = text[at + 1];
  switch (text[at]) {
    case '<':
      return next === undefined || next === '|' || next === '｜' || next === '/' || next === '<' || /[A-Za-z_]/.test(next);
    case '[':
      return next === undefined || 'TC/'.includes(next) || (next === 'e' && (text[at + 2] ?? '~') === '~');
    case 'A':
      return next === undefined || next === 'c';
    case 'C':
      return next === undefined || next === 'a';
    default:
      return next === undefined || next === '>';
  }
}

/** Consumes a mark. `undefined`: there is no mark, or only more text can tell. */
export function readMark(cursor: Cursor): Mark | undefined {
  if (cursor.text[cursor.at] === '[') return readSquare(cursor);
  if (cursor.text[cursor.at] === '>') return cursor.word('>>>all\n') ? { kind: 'plain' } : undefined;
  const start = cursor.at;
  const inner = cursor.tag();
  const mark = inner === '' ? undefined : markOf(inner);
  if (!mark) cursor.at = start;
  return mark;
}

function readSquare(cursor: Cursor): Mark | undefined {
  if (cursor.word('[TOOL_CALLS]')) return { kind: 'open', dialect: 'mistral' };
  if (cursor.word('[/TOOL_CALLS]')) return { kind: 'close' };
  return cursor.word('[e~[') ? { kind: 'stop' } : undefined;
}

function lastWord(inner: string): string {
  let end = inner.length;
  while (end > 0 && inner[end - 1] === '|') end -= 1;
  let start = end;
  while (start > 0 && !'|:/+'.includes(inner[start - 1]!)) start -= 1;
  return inner.slice(start, end).toLowerCase();
}

function markOf(inner: string): Mark | undefined {
  if (!WORDS.has(lastWord(inner))) return undefined;
  const known = PARTS[inner];
  if (known) return { kind: known, ...(known === 'open' && { dialect: 'kimi' }) };
  const isClose = inner.startsWith('/');
  const name = isClose ? inner.slice(1) : inner;
  if (PLAIN_STOPS.has(inner)) return { kind: 'stop' };
  const tag = NAME_SPACE.exec(name);
  if (tag) {
    const [, space = '', word = ''] = tag;
    const lower = word.toLowerCase();
    if (isClose && INNER.includes(lower)) return { kind: 'close' };
    const isDsml = space.startsWith('|');
    const dialect = isDsml && lower === 'calls' ? '' : TAGS[lower];
    if (dialect === undefined) return undefined;
    if (isClose) return { kind: 'close' };
    const own = isDsml ? 'dsml' : space === 'seed:' ? 'seed' : dialect;
    return { kind: 'open', ...(own && { dialect: own }) };
  }
  const word = name.replace(/^\|\/?/, '').replace(/\|$/, '');
  if (word === name && !name.includes('|')) return undefined;
  // `<|tool_call|>` opens with bars on both sides, `<|tool_call>` with one before its name, `<tool_call|>` closes.
  if (word === 'tool_call' || word === 'tool_calls') {
    if (name.startsWith('|/') || !name.startsWith('|')) return { kind: 'close' };
    return { kind: 'open', dialect: name.endsWith('|') ? 'granite' : 'gemma' };
  }
  const token = Object.hasOwn(TOKENS, word) ? TOKENS[word] : undefined;
  if (token) return { kind: token[0], ...(token[1] && { dialect: token[1] }) };
  return STOPS.has(word) ? { kind: 'stop' } : undefined;
}
