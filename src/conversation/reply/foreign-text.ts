/**
 * Watches the text of a reply for the first sign of a call in a model's native dialect, and then loads the code that reads these. Up to the
 * sign, text is shown as it arrives. For a model that is known to write such calls, the code is loaded beforehand.
 */
import { load } from '../../base/load.js';
import type { DialectFilter } from '../../protocols/dialects.js';
import type { EndReason, Segment } from '../../protocols/protocol.js';
import { charTable, skipBlanks } from '../../protocols/scan.js';
import type { Waiting } from './plain-reply.js';

export interface ForeignText {
  take(segment: Segment): void;
  /** Returns a promise if the rest is read later. */
  end(reason: EndReason): Promise<void> | void;
  readonly pending: Promise<void> | undefined;
}

export type OpenDialects = (take: (segment: Segment) => void) => Promise<DialectFilter>;

export const loadDialects = () => load(() => import('../../protocols/dialects.js'));

/** Matches more than the real marks. Text that turns out to be none stays text. */
const SIGN = /<[\w|｜/]|\]<\]|\[\/?T(?:OO|HI|oo)|\[e~|>>>|Action:|\[?Calling |default_|^analysis/;
/** Matches the beginning of a sign at the end of a text: some characters. */
const MAY_BE_SIGN = /(?:\]?<|\]|\[(?:e|\/?(?:T\w?)?)?|>>?|\[?\b[ACd][a-z]{0,6}|^a[a-z]{0,6})$/;
const IN_NAME = charTable('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-');
const LONGEST_NAME = 100;
/** Maximum length of a reply's beginning that is held back, in UTF-16 units. */
const LONGEST_FIRST = 200;

/** Marks that dialects write before the name of a tool, and after it. */
const BEFORE_NAME = 'functions. function. default_api. tools. tool. api. call: assistant to= functools['.split(' ');
const BEHIND_NAME = /^(?::\d{0,6}|\.(?:c(?:a(?:ll?)?)?)?)$/;

/** Returns a check that tells words of an answer from what may become the name of one of these tools. */
export function createNameCheck(names: () => readonly string[]) {
  const mayBegin = (written: string): boolean => {
    if (BEFORE_NAME.some((word) => word.startsWith(written))) return true;
    const before = BEFORE_NAME.find((word) => written.startsWith(word));
    const bare = written.slice(before?.length ?? 0);
    return names().some((name) => name.startsWith(bare) || (bare.startsWith(name) && BEHIND_NAME.test(bare.slice(name.length))));
  };
  /** Returns true if the text is a first word, alone or with a bracket, that calls no tool whatever follows. */
  return (text: string): boolean => {
    const [start, end] = firstName(text);
    return end > start && (end === text.length || text[end] === '(') && !mayBegin(text.slice(start, end));
  };
}

function firstName(text: string): [start: number, end: number] {
  const start = skipBlanks(text, 0);
  let end = start;
  while (end < text.length && end - start <= LONGEST_NAME && IN_NAME[text.charCodeAt(end)] === 1) end += 1;
  return [start, end];
}

/** Checks whether a reply that begins like this may be nothing but a call; undefined: that needs more text. */
function mayBeCall(text: string, isWord: (text: string) => boolean): boolean | undefined {
  if (isWord(text)) return false;
  const more = text.length < LONGEST_FIRST ? undefined : false;
  const [start, end] = firstName(text);
  if (end === text.length) return more;
  if ('[{'.includes(text[end]!)) return true;
  if (end === start) return false;
  const rest = text.slice(start);
  if (text[end] === '(' || /^(?:assistant )?to=/.test(rest)) return true;
  if ('assistant to'.startsWith(rest)) return more;
  const next = skipBlanks(text, end);
  if (next === text.length) return more;
  return text[next] === '{' && text.slice(end, next).includes('\n');
}

export function readForeign(
  take: (segment: Segment) => void,
  live: Waiting,
  open: OpenDialects,
  isWord: (text: string) => boolean = () => false,
): ForeignText {
  let shown = ''; // text shown since the last segment of another type
  let isFirst = true; // only blanks have arrived
  let held = '';
  let waiting: Segment[] = [];
  let filter: DialectFilter | undefined;
  let pending: Promise<void> | undefined;

  function show(text: string) {
    held = '';
    if (!text) return;
    shown += text;
    isFirst &&= text.trim() === '';
    take({ type: 'text', text });
  }

  function takeText(addition: string) {
    const text = held + addition;
    const first = isFirst ? mayBeCall(text, isWord) : false;
    const sign = first ? 0 : text.search(SIGN);
    if (sign >= 0) {
      show(text.slice(0, sign));
      wait({ type: 'text', text: text.slice(sign) });
      pending = readOn();
      return;
    }
    const begun = text.search(MAY_BE_SIGN);
    const end = first === undefined ? 0 : begun < 0 ? text.length : begun;
    show(text.slice(0, end));
    held = text.slice(end);
  }

  function wait(segment: Segment) {
    waiting.push(segment);
    if (segment.type === 'text') live.heldText += segment.text;
  }

  async function readOn() {
    const opened = await open(takeNew).catch(() => undefined);
    pending = undefined;
    live.heldText = '';
    let seen = shown.length;
    // If the dialects cannot be loaded, everything is shown as text.
    filter = opened ?? { take, end: () => undefined };
    const segments = waiting;
    waiting = [];
    if (opened && seen > 0) filter.take({ type: 'text', text: shown });
    for (const segment of segments) filter.take(segment);

    function takeNew(segment: Segment) {
      if (segment.type !== 'text') {
        seen = 0;
        return take(segment);
      }
      const rest = segment.text.slice(seen);
      seen = Math.max(0, seen - segment.text.length);
      if (rest) take({ type: 'text', text: rest });
    }
  }

  return {
    get pending() {
      return pending;
    },
    take(segment) {
      if (filter) filter.take(segment);
      else if (pending) wait(segment);
      else if (segment.type === 'text') takeText(segment.text);
      else {
        show(held);
        if (segment.type !== 'reasoning' && segment.type !== 'arguments') {
          shown = '';
          isFirst = segment.type === 'was-reasoning';
        }
        take(segment);
      }
    },
    end(reason) {
      if (pending) return pending.then(() => filter?.end(reason));
      if (filter) return filter.end(reason);
      show(held);
    },
  };
}
