/**
 * Recognizes the start of a call in each dialect, after its marks or alone. A start must name an existing tool; a mark without such a name
 * is text.
 */
import { readAttributes } from '../xml-invoke/parameters.js';
import { Cursor } from './cursor.js';
import { readMark, type Mark } from './marks.js';

export interface Head {
  dialect: string;
  name: string;
  /** The position where its body begins: the JSON, the bracket of the arguments, or the text after the tag. */
  end: number;
  /**
   * The kind of body. `calls`: JSON that names the called tools; `list`: a list of Python calls; `tags`: one tag for each parameter;
   * `none`: no body follows.
   */
  body: 'calls' | 'json' | 'python' | 'list' | 'gemma' | 'tags' | 'none';
  /** For `tags`: the name in the tag that ends it. */
  closer: string;
  /** Set if the name was written like a tool of another service, or its tag has two names. */
  isGuess?: true;
}

/** Returns the tool that a written name refers to, or undefined. */
export type FindTool = (written: string) => string | undefined;

/** The id of a call of Kimi, `functions.n:1`, as clients clean it. */
const CLEANED_ID = /^functions_(.+)_\d{1,6}$/;

/** Creates a lookup that finds a tool by its name, also after removing a prefix such as `functions.` and a suffix such as `:1`. */
export function toolFinder(isTool: (name: string) => boolean): FindTool {
  return (written) => {
    const bare = written.replace(/:\d{1,6}$/, '').replace(/\.call$/, '');
    const names = [written, bare, bare.slice(bare.lastIndexOf('.') + 1), bare.replace(CLEANED_ID, '$1')];
    return names.find((name) => name !== '' && isTool(name));
  };
}

/** Namespaces that refer to the caller's own tools. */
const OWN_SPACE = /^(?:(?:functions?|tools?|default_api|api)\.|functions_)$/;

/** Checks whether the tool was found only by removing another name before it, such as that of a server. It may not be the intended tool. */
export function isGuess(written: string, name: string): boolean {
  const at = written.indexOf(name);
  return at > 0 && !OWN_SPACE.test(written.slice(0, at));
}

/** Sets `isGuess` on the call that `read` returns if its name was a guess. */
export function trackGuess<Read extends object | number>(find: FindTool, read: (find: FindTool) => Read): Read {
  let last = false;
  const found = read((written) => {
    const name = find(written);
    if (name !== undefined) last = isGuess(written, name);
    return name;
  });
  if (last && typeof found === 'object' && 'head' in found) Object.assign(found.head as Head, { isGuess: true });
  return found;
}

/** Accepts any name after the first call of a block. The runner then reports that the tool does not exist. */
export const anyTool =
  (find: FindTool): FindTool =>
  (written) =>
    find(written) ?? (/^[\p{L}_][\p{L}\p{N}_.-]{0,63}$/u.test(written) ? written : undefined);

/** The dialect of calls as servers repeat them. A bracket, or two, follows their JSON. */
export const TRANSCRIPT = 'transcript';

/** The dialect of open marks that several dialects share. */
export const OPEN = '?';

export interface Found {
  head?: Head;
  /** The mark at the very beginning, if no call is there. */
  mark?: Mark & { end: number };
  short: boolean;
}

/** Returns the start of a call or the mark at `at`; `end` is relative to `at`. @param wrapped The dialect of a mark that is still open. */
export const findHead = (text: string, at: number, find: FindTool, wrapped = ''): Found =>
  trackGuess(find, (noted) => readFound(text, at, noted, wrapped));

function readFound(text: string, at: number, find: FindTool, wrapped: string): Found {
  const cursor = new Cursor(text, at);
  let dialect = wrapped;
  let first: Found['mark'];
  let marks = wrapped === '' ? 0 : 1;
  for (;;) {
    if (first) cursor.blanks();
    const start = cursor.at;
    const mark = readMark(cursor);
    if (mark) first ??= { ...mark, end: cursor.at };
    if (mark?.kind !== 'open') {
      cursor.at = start;
      break;
    }
    if (dialect === '' || dialect === OPEN) dialect = mark.dialect ?? OPEN;
    marks += 1;
  }
  const found = readHead(cursor, marks > 0, find);
  const head = found && { ...found, dialect: (dialect === OPEN ? '' : dialect) || found.dialect };
  return { ...(head && { head }), ...(first && { mark: first }), short: cursor.short };
}

function readHead(cursor: Cursor, isMarked: boolean, find: FindTool): Head | undefined {
  const start = cursor.at;
  const char = cursor.text[start] ?? '';
  const tries = char === '<' ? TAGGED : char === '>' ? QUOTED : isMarked ? MARKED : [];
  for (const read of char === '[' || char === 'C' ? [transcript, ...tries] : tries) {
    cursor.at = start;
    const head = read(cursor, find, isMarked);
    if (head) return head;
  }
  if (start === cursor.text.length) cursor.short ||= !cursor.cut;
  return undefined;
}

/** Reads a ReAct call at the beginning of a line: `Action: n`, a line break, `Action Input:` and JSON. */
export const findAction = (text: string, at: number, find: FindTool): Pick<Found, 'head' | 'short'> =>
  trackGuess(find, (noted) => readAction(text, at, noted));

function readAction(text: string, at: number, find: FindTool): Pick<Found, 'head' | 'short'> {
  const cursor = new Cursor(text, at);
  const isShort = () => ({ short: cursor.short });
  if (!cursor.word('Action:')) return isShort();
  cursor.blanks();
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return isShort();
  cursor.blanks();
  const head = cursor.word('Action Input:') ? jsonBody(cursor, name, 'react') : undefined;
  return { ...(head && { head }), short: cursor.short };
}

/**
 * Reads a harmony header whose first half a server has removed: ` to=functions.n`, the rest of the header, which is often garbled, and
 * JSON. Only a reply can begin so, perhaps with the word before.
 */
export const findRecipient = (text: string, at: number, find: FindTool): Pick<Found, 'head' | 'short'> =>
  trackGuess(find, (noted) => readRecipient(text, at, noted));

function readRecipient(text: string, at: number, find: FindTool): Pick<Found, 'head' | 'short'> {
  const cursor = new Cursor(text, at);
  cursor.word('assistant ');
  if (!cursor.word('to=')) return { short: cursor.short };
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return { short: cursor.short };
  const open = cursor.text.indexOf('{', cursor.at);
  const rest = cursor.text.slice(cursor.at, open < 0 ? undefined : open);
  if (rest.length > MOST_GARBLED) return { short: false };
  return open < 0 ? { short: !cursor.cut } : { head: { dialect: 'harmony', name, end: open, body: 'json', closer: '' }, short: false };
}

const MOST_GARBLED = 64;

type ReadHead = (cursor: Cursor, find: FindTool, isMarked: boolean) => Head | undefined;

const NAMED_TAG = /^<(?:\|{1,2}DSML\|{1,2} ?|[A-Za-z]{1,16}:)?(invoke|tool_use|tool_call|tool|function|call)(?=[\s>])/i;
const MAY_BE_NAMED = /^<(?:\|{0,2}D?S?M?L?\|{0,2} ?|[A-Za-z]{1,16}:)?[a-z_]{0,9}$/i;

/** Reads `<invoke name="n">` and similar tags in any namespace. */
const invoke: ReadHead = (cursor, find) => {
  const window = cursor.text.slice(cursor.at);
  const tag = NAMED_TAG.exec(window);
  if (!tag) {
    if (!cursor.cut && MAY_BE_NAMED.test(window)) cursor.short = true;
    return undefined;
  }
  const attributes = readAttributes(window, tag[0].length);
  if (!attributes) {
    cursor.short ||= !cursor.cut;
    return undefined;
  }
  const name = attributes.name === undefined ? undefined : find(attributes.name);
  if (name === undefined) return undefined;
  cursor.at += attributes.end;
  const dialect = tag[0].includes('|') ? 'dsml' : 'invoke';
  const head: Head | undefined =
    window[attributes.end - 2] === '/'
      ? { dialect, name, end: cursor.at, body: 'none', closer: '' }
      : tagBody(cursor, name, dialect, tag[1]!.toLowerCase());
  if (head && attributes.other) head.isGuess = true;
  return head;
};

/** Reads `<|open|>call tool="n" index="1"<|sep|>` of Kimi K3. The marks around calls are often torn, so that `tools` comes before `call`. */
const kimiCall: ReadHead = (cursor, find) => {
  const start = cursor.at;
  if (!cursor.word('<|open|>call ') && !cursor.word('<|open|>toolscall ')) return undefined;
  const window = cursor.text.slice(cursor.at);
  const tag = /^tool="([^"\n]{1,100})"(?: index="\d{1,6}")?<\|sep\|>/.exec(window);
  cursor.short ||= !tag && !cursor.cut && !window.includes('<|sep|>');
  const name = tag ? find(tag[1]!) : undefined;
  if (!tag || name === undefined) {
    cursor.at = start;
    return undefined;
  }
  return { dialect: 'kimi', name, end: cursor.at + tag[0].length, body: 'tags', closer: 'call' };
};

/** Reads `<function=n>` of Qwen and Llama. */
const functionTag: ReadHead = (cursor, find) => {
  if (!cursor.word('<function=')) return undefined;
  cursor.word('"');
  const written = cursor.name();
  cursor.word('"');
  if (written !== '') cursor.blanks();
  const isEmpty = written.endsWith('/') || cursor.word('/');
  const name = written === '' ? undefined : find(written.replace(/\/$/, ''));
  if (name === undefined) return undefined;
  if (isEmpty) return cursor.word('>') ? { dialect: 'qwen-xml', name, end: cursor.at, body: 'none', closer: '' } : undefined;
  if (cursor.text[cursor.at] === '{') return { dialect: 'llama', name, end: cursor.at, body: 'json', closer: '' };
  if (!cursor.word('>')) return undefined;
  const end = cursor.at;
  const head = tagBody(cursor, name, 'qwen-xml', 'function');
  if (head || cursor.at === cursor.text.length) return head;
  // An end without parameters or JSON: a call that cannot be read.
  if (cursor.text.includes('</function>', end)) return { dialect: 'qwen-xml', name, end, body: 'tags', closer: 'function' };
  cursor.short ||= !cursor.cut;
  return undefined;
};

/** Reads the start of a tag's body: parameters, JSON, or its end. Anything else makes the tag a word in a sentence. */
function tagBody(cursor: Cursor, name: string, dialect: string, closer: string): Head | undefined {
  const end = cursor.at;
  cursor.blanks();
  const char = cursor.text[cursor.at];
  if (char === '{') return { dialect, name, end: cursor.at, body: 'json', closer };
  return char === '<' ? { dialect, name, end, body: 'tags', closer } : undefined;
}

/** Reads `<name>n</name><arguments>{…}</arguments>`. */
const nameTag: ReadHead = (cursor, find, isMarked) => {
  if (!isMarked || !/^(?:name|tool_name)$/.test(cursor.tag())) return undefined;
  cursor.blanks();
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return undefined;
  cursor.blanks();
  if (!/^\/(?:name|tool_name)$/.test(cursor.tag())) return undefined;
  cursor.blanks();
  if (!/^(?:arguments|parameters|args|params|input)$/.test(cursor.tag())) return undefined;
  return jsonBody(cursor, name, 'hermes');
};

/**
 * Reads `<get_weather><city>…`, and `<search><parameter=query>…`. Without such a parameter the name must have an underscore, because no
 * HTML tag has one.
 */
const toolTag: ReadHead = (cursor, find) => {
  const written = cursor.tag();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return undefined;
  const end = cursor.at;
  cursor.blanks();
  if (cursor.word('<parameter=')) return { dialect: 'qwen-xml', name, end, body: 'tags', closer: written };
  if (!written.includes('_')) return undefined;
  const next = cursor.tag();
  return next === `/${written}` || /^\w{1,40}$/.test(next) ? { dialect: 'tags', name, end, body: 'tags', closer: written } : undefined;
};

/** Reads `>>>n`, a line break and JSON. */
const functionary: ReadHead = (cursor, find) => {
  if (!cursor.word('>>>')) return undefined;
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined || !cursor.word('\n')) return undefined;
  return jsonBody(cursor, name, 'functionary');
};

/** Reads `[Calling tool: n({…})]`: some servers repeat earlier calls so to a model whose template has no calls, and it imitates them. */
const transcript: ReadHead = (cursor, find) => {
  cursor.word('[');
  if (!['Calling tool:', 'Tool Use:', 'Tool Call:'].some((word) => cursor.word(word))) return undefined;
  cursor.blanks();
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return undefined;
  if (cursor.word('()')) return { dialect: TRANSCRIPT, name, end: cursor.at, body: 'none', closer: '' };
  return cursor.word('(') ? jsonBody(cursor, name, TRANSCRIPT) : undefined;
};

const SAYS_NAME = /["'“](?:name|tool_name|tool|function)["'”]\s{0,9}:\s{0,9}["'“]([^"'“”\\]{1,100})["'”]/g;

/** An object whose key is the name of a tool: `{"n": {…}}`. */
const IS_KEY = /^(?:\[\s{0,9})?\{\s{0,9}["']([^"'\\]{1,100})["']\s{0,9}:\s{0,9}\{/;

/** Reads JSON that names a tool, or a list of Python calls. */
const json: ReadHead = (cursor, find) => {
  const char = cursor.text[cursor.at];
  if (char !== '{' && char !== '[') return undefined;
  const end = cursor.at;
  if (char === '[') {
    cursor.at += 1;
    cursor.blanks();
    const list = python(cursor, find, true);
    if (list) return { ...list, end, body: 'list' };
  }
  for (const [, written = ''] of cursor.text.slice(end).matchAll(SAYS_NAME)) {
    const name = find(written.trim());
    if (name !== undefined) return { dialect: 'hermes', name, end, body: 'calls', closer: '' };
  }
  const key = IS_KEY.exec(cursor.text.slice(end));
  const named = key ? find(key[1]!.trim()) : undefined;
  if (named !== undefined) return { dialect: 'hermes', name: named, end, body: 'calls', closer: '' };
  cursor.short ||= !cursor.cut;
  return undefined;
};

/** Reads `n(k=v)`. */
const python: ReadHead = (cursor, find) => {
  const written = cursor.name();
  const name = written === '' || cursor.text[cursor.at] !== '(' ? undefined : find(written);
  return name === undefined ? undefined : { dialect: 'python', name, end: cursor.at, body: 'python', closer: '' };
};

/** Reads `call:n{…}`. */
const gemma: ReadHead = (cursor, find) => {
  if (!cursor.word('call:')) return undefined;
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return undefined;
  cursor.blanks();
  return cursor.text[cursor.at] === '{' ? { dialect: 'gemma', name, end: cursor.at, body: 'gemma', closer: '' } : undefined;
};

/** Reads a name, the separator of a template, and JSON: DeepSeek, Kimi, Mistral and GLM. */
const named: ReadHead = (cursor, find) => {
  cursor.word('function<|tool_sep|>');
  const written = cursor.name();
  const name = written === '' ? undefined : find(written);
  if (name === undefined) return undefined;
  if (cursor.word('[CALL_ID]')) cursor.name();
  if (cursor.word('[ARGS]')) return jsonBody(cursor, name, 'mistral');
  const behind = cursor.at;
  cursor.blanks();
  if (cursor.word('<|tool_call_argument_begin|>')) return jsonBody(cursor, name, 'kimi');
  if (cursor.word('<|tool_sep|>') || cursor.word('```json')) return jsonBody(cursor, name, 'deepseek');
  if (cursor.text[cursor.at] === '{') return { dialect: 'hermes', name, end: cursor.at, body: 'json', closer: '' };
  const next = cursor.tag();
  return next === 'arg_key' || next === '/tool_call' ? { dialect: 'glm', name, end: behind, body: 'tags', closer: 'tool_call' } : undefined;
};

/** Reads `function=n>` after a mark: a server has dropped the angle bracket, and those of the parameters. Such a call cannot be read. */
const tornFunction: ReadHead = (cursor, find) => {
  const name = cursor.word('function=') ? find(cursor.name()) : undefined;
  if (name === undefined || !cursor.word('>')) return undefined;
  return { dialect: 'qwen-xml', name, end: cursor.at, body: 'tags', closer: 'function' };
};

function jsonBody(cursor: Cursor, name: string, dialect: string): Head | undefined {
  cursor.blanks();
  return cursor.text[cursor.at] === '{' ? { dialect, name, end: cursor.at, body: 'json', closer: '' } : undefined;
}

const TAGGED = [kimiCall, invoke, functionTag, nameTag, toolTag];
const QUOTED = [functionary];
const MARKED = [json, gemma, python, tornFunction, named];
