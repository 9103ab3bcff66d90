/** Harmony, the format of gpt-oss: messages with a header that names a channel and a recipient. */
import { NEED_MORE, NO_MATCH } from '../scan.js';
import { Cursor } from './cursor.js';
import { trackGuess, type FindTool, type Head } from './heads.js';

const MESSAGE = '<|message|>';
const HEADER = /^[\w<|>=.:\s/-]*$/;

export type Message = { head: Head } | { end: number; isReasoning: boolean };

/** Tokens that end a reasoning message. The first three belong to it. */
export const MESSAGE_ENDS = ['<|end|>', '<|return|>', '<|call|>', '<|start|>', '<|channel|>'];

/** Returns the header of a message at `at`, or `NO_MATCH` or `NEED_MORE`. */
export const readHeader = (source: string, at: number, find: FindTool): Message | number =>
  trackGuess(find, (noted) => readNoted(source, at, noted));

function readNoted(source: string, at: number, find: FindTool): Message | number {
  const cursor = new Cursor(source, at);
  const { text } = cursor;
  if (!cursor.word('<|start|>') && !cursor.word('<|channel|>')) return cursor.short ? NEED_MORE : NO_MATCH;
  const end = text.indexOf(MESSAGE);
  if (end < 0) return !cursor.cut && HEADER.test(text) ? NEED_MORE : NO_MATCH;
  const header = text.slice(0, end);
  if (!HEADER.test(header)) return NO_MATCH;
  cursor.at = end + MESSAGE.length;
  const [recipient, ...others] = Array.from(header.matchAll(/\bto=([^\s<]+)/g), ([, written]) => written!);
  if (recipient === undefined) return { end: cursor.at, isReasoning: /<\|channel\|>\s*analysis\b/.test(header) };
  const name = find(recipient);
  if (name === undefined) return NO_MATCH;
  cursor.blanks();
  if (text[cursor.at] !== '{') return cursor.short ? NEED_MORE : NO_MATCH;
  const isOther = others.some((one) => one !== recipient);
  return { head: { dialect: 'harmony', name, end: cursor.at, body: 'json', closer: '', ...(isOther && { isGuess: true }) } };
}
