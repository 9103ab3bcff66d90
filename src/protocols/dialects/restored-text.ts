/**
 * Restores the tokens of a chat template that a server has removed from a text, or has left in it where they are not part of the answer.
 * The text is the same in any chunks.
 */
import type { FindTool } from './heads.js';

/** The token that MiniMax-M3 writes before each tag of its calls. */
const PREFIX = ']<]minimax[>[';
/** Hunyuan puts the whole answer between these. */
const ANSWER = '<answer>';
const ANSWER_END = '</answer>';
/** The headers of gpt-oss's messages without their tokens. The first one begins the reply. */
const THOUGHTS = 'analysis';
const HEADER = /assistant(?:(final|analysis)|commentary to=([\w.-]{1,64}?) ?(?:json|code)?(?=\{))/g;
const MAY_BE_HEADER = /assistant[\w. =-]{0,90}$|a[sitn]{0,8}$/;
const LONGEST_HEADER = 100;

/** Gemini's namespace and the name of a tool without their tokens, perhaps glued to the rest of a word. */
const NAMED = /(?:\w{1,16}:)?default_api:([\w.-]{1,64})(?=\{)/g;
const MAY_BE_NAMED = /(?:\w{1,16}:)?default_api:[\w.-]{0,64}$/;
const NAMESPACE = 'default_api:';

export interface RestoredText {
  /** Returns the text that is decided. */
  push(text: string): string;
  /** Returns the text that was held. */
  release(): string;
}

export function createRestoredText(find: FindTool): RestoredText {
  let held = '';
  let kind: 'plain' | 'answer' | 'harmony' | undefined; // undefined: only blanks so far

  function begin(text: string): string {
    const start = text.length - text.trimStart().length;
    const first = text.slice(start);
    if (ANSWER.startsWith(first) || THOUGHTS.startsWith(first)) return text;
    kind = first.startsWith(ANSWER) ? 'answer' : /^analysis[A-Z]/.test(first) ? 'harmony' : 'plain';
    if (kind === 'plain') return text;
    // The blanks before it may have been shown already.
    return (
      text.slice(0, start) +
      (kind === 'answer' ? first.slice(ANSWER.length) : `<|channel|>analysis<|message|>${first.slice(THOUGHTS.length)}`)
    );
  }

  function restore(text: string): string {
    if (kind === 'harmony')
      return text.replace(HEADER, (_, channel?: string, recipient?: string) => {
        const header = channel ?? `commentary to=${recipient ?? ''}`;
        return `<|start|>assistant<|channel|>${header}<|message|>`;
      });
    const end = kind === 'answer' ? text.indexOf(ANSWER_END) : -1;
    if (end >= 0) kind = 'plain';
    const rest = (end < 0 ? text : text.slice(0, end) + text.slice(end + ANSWER_END.length)).replaceAll(PREFIX, '');
    if (!rest.includes(NAMESPACE)) return rest;
    return rest.replace(NAMED, (written, name: string) => (find(name) === undefined ? written : `<|tool_call>call:${name}`));
  }

  /** Returns the position from which more text is needed. */
  function undecidedFrom(text: string): number {
    if (kind === 'harmony') {
      const tail = Math.max(0, text.length - LONGEST_HEADER);
      const at = text.slice(tail).search(MAY_BE_HEADER);
      return at < 0 ? text.length : tail + at;
    }
    const tail = text.slice(-LONGEST_HEADER);
    const named = tail.includes(NAMESPACE) ? tail.search(MAY_BE_NAMED) : -1;
    if (named >= 0) return text.length - tail.length + named;
    const words = kind === 'answer' ? [PREFIX, NAMESPACE, ANSWER_END] : [PREFIX, NAMESPACE];
    for (let at = Math.max(0, text.length - PREFIX.length); at < text.length; at += 1)
      if (']d<'.includes(text[at]!) && words.some((word) => word.startsWith(text.slice(at)))) return at;
    return text.length;
  }

  return {
    push(addition) {
      let text = held + addition;
      held = '';
      if (kind === undefined) {
        text = begin(text);
        held = kind === undefined ? text : '';
        if (kind === undefined) return '';
      }
      text = restore(text);
      const at = undecidedFrom(text);
      held = text.slice(at);
      return text.slice(0, at);
    },
    release() {
      const text = held;
      held = '';
      return text;
    },
  };
}
