/**
 * Passes the text of a reply on to the host (`tool-chat-stream-chunk`), except for what the screen may take back when the reply is over: a
 * call that a model wrote as text. Text is held back from the first character that may begin a call, until it is clear that no tool is
 * named there. If one is, it is held back until the end.
 */
import type { ToolRegistry } from '../../tools/registry.js';
import type { StreamingReply } from './streaming-reply.js';

export interface HostText {
  /** Called when the text was added to the reply. */
  add(text: string): void;
  /** Called when the reply is over. `text` is its whole text. */
  end(text: string): void;
}

/** Maximum distance of a tool's name from the beginning of its call, in UTF-16 units. */
const WINDOW = 200;

/** @param registry none where nothing can be called */
export function createHostText(
  onText: (text: string) => void,
  live: () => Pick<StreamingReply, 'text' | 'deliveredLength' | 'mayBeDraft'> | null,
  registry: ToolRegistry | undefined,
): HostText {
  /** Lengths of the reply's text that was added, and of the text that was passed on, in UTF-16 units. */
  let added = 0;
  let handed = 0;
  let waiting = '';
  let isLineStart = true;
  let isLocked = false;
  let names: string[] | undefined;

  function handOn(text: string) {
    waiting = waiting.slice(text.length);
    if (!text) return;
    handed += text.length;
    const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
    isLineStart = line.trim() === '' && (isLineStart || line.length < text.length);
    const reply = live();
    if (reply) reply.deliveredLength = handed;
    onText(text);
  }

  return {
    add(addition) {
      const reply = live();
      const length = reply?.text.length ?? added + addition.length;
      if (length !== added + addition.length) {
        // The text before was already passed on, or is no longer text.
        handed = length - addition.length;
        isLocked = false;
        isLineStart = true;
        waiting = '';
      }
      added = length;
      if (isLocked || reply?.mayBeDraft) return;
      waiting = waiting.length + addition.length === length - handed ? waiting + addition : (reply?.text ?? '').slice(handed);
      names ??= registry ? namesOf(registry) : [];
      if (names.length === 0) return handOn(waiting);
      const sign = findSign(waiting, 0, isLineStart, names);
      const rest = waiting.slice(sign);
      isLocked = names.some((name) => rest.includes(name));
      const far = Math.max(sign, waiting.length - WINDOW);
      handOn(waiting.slice(0, isLocked || far === sign ? sign : findSign(waiting, far, isLineStart, names)));
      if (isLocked) waiting = '';
    },
    end(text) {
      handOn(text.slice(handed));
    },
  };
}

/** Returns all names by which a model may call the tools. */
const namesOf = (registry: ToolRegistry): string[] =>
  registry
    .list()
    .flatMap(({ name, aliases, origin }) => [name, ...Object.values(aliases ?? {}), origin?.method ?? ''].filter((one) => one !== ''));

const isBlank = (char: string) => char === ' ' || char === '\t';

/** Returns the first position from `from` on where a call may begin, or the length of the text. */
function findSign(text: string, from: number, startsLine: boolean, names: readonly string[]): number {
  let isStart = startsLine;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '\n' || char === '\r') isStart = true;
    else if (!(isStart && isBlank(char))) {
      const isSign =
        '<{['.includes(char) || ('`~'.includes(char) ? isStart || mayBeFence(text, at) : isStart && callsByName(text, at, names));
      if (isSign && at >= from) return at;
      isStart = false;
    }
  }
  return text.length;
}

/** Checks whether a fence may begin here: with three equal characters, or as many as there are up to the end. */
const mayBeFence = (text: string, at: number): boolean => text.slice(at, at + 3) === text[at]!.repeat(Math.min(3, text.length - at));

/** Checks whether a line begins with `name(`, with `name` after a dot, or with `print(`; or whether it ends here and may become that. */
function callsByName(text: string, at: number, names: readonly string[]): boolean {
  let end = at;
  while (end < text.length && end - at < WINDOW && !' \t\r\n()[]{}<>"\'`=,;:'.includes(text[end]!)) end += 1;
  const word = text.slice(at, end);
  const last = word.slice(word.lastIndexOf('.') + 1);
  if (end < text.length) return text[end] === '(' && (word === 'print' || names.includes(word) || names.includes(last));
  return last !== '' && ['print', ...names].some((name) => name.startsWith(word) || name.startsWith(last));
}
