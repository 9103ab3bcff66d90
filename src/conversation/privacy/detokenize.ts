/** Puts values back in place of their tokens, in streamed text and in parsed data. */
import { deepFreeze } from '../../base/objects.js';
import { define } from '../../base/plain.js';
import type { ConversationEvent } from '../chart/chart-context.js';
import { PRIVATE_FLAG, type WrittenReply } from '../chart/private-values.js';
import { between } from './find-values.js';
import { TOKEN_CHARS, TOKENS } from './vault.js';

export type ValueOf = (token: string) => string | undefined;

export const detokenizeText = (text: string, valueOf: ValueOf): string =>
  text.includes('[') ? text.replace(TOKENS, (token) => valueOf(token) ?? token) : text;

/**
 * Restores values in data. It was parsed before, so a value cannot be read as markup any more. Data without tokens is returned as the same
 * object.
 */
export function detokenize<Value>(value: Value, valueOf: ValueOf): Value {
  return mapTexts(value, (text) => detokenizeText(text, valueOf)) as Value;
}

/** Maps every string of plain data, keys included. */
export function mapTexts(value: unknown, map: (text: string) => unknown, number?: (value: number) => unknown): unknown {
  if (typeof value === 'string') return map(value);
  if (typeof value === 'number') return number ? number(value) : value;
  if (Array.isArray(value)) {
    const copy = value.map((one: unknown) => mapTexts(one, map, number));
    return copy.some((one, at) => one !== value[at]) ? copy : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  let changed = false;
  for (const [name, field] of Object.entries(value)) {
    const [named, now] = [String(map(name)), mapTexts(field, map, number)];
    changed ||= named !== name || now !== field;
    define(copy, named, now);
  }
  return changed ? copy : value;
}

export interface Detokenizer {
  /** Returns the text that can be shown now. */
  push(text: string): string;
  /** Returns the text held back, which turned out to be no token. */
  flush(): string;
}

/**
 * Puts values back into streamed Markdown. A token may be split between chunks: its beginning is held back while it can still become one,
 * and a whole token until the text behind it is known. In a link destination the token stays, because following the link would reveal the
 * value.
 */
export function createDetokenizer(valueOf: ValueOf): Detokenizer {
  const destinations = createDestinations();
  let held = '';

  function show(text: string, next = ''): string {
    let shown = '';
    let read = 0;
    for (const { piece, token } of between(text, (one) => valueOf(one) !== undefined)) {
      destinations.read(piece);
      read += piece.length + token.length;
      const known = valueOf(token) ?? '';
      const value = destinations.isInside(known, text.slice(read, read + 2) || next) ? token : known;
      destinations.read(value);
      shown += piece + value;
    }
    return shown;
  }

  return {
    push(text) {
      const all = held + text;
      const from = all.lastIndexOf('[');
      const waits = from >= 0 && all.length - from <= TOKEN_CHARS && /^\[(?:[A-Z][A-Z0-9_]*(?:\][.-]?)?)?$/.test(all.slice(from));
      held = waits ? all.slice(from) : '';
      return waits ? show(all.slice(0, from), '[') : show(all);
    },
    flush() {
      const rest = held;
      held = '';
      return show(rest);
    },
  };
}

/** Returns the same reply for the view: its text is shown with the values, while reading it gives the model's own text. */
export function showValues<Live extends WrittenReply>(
  live: Live,
  valueOf: ValueOf,
  onText: (text: string) => void,
): { live: Live; onText: () => void } {
  let said = createDetokenizer(valueOf);
  const thought = createDetokenizer(valueOf);
  let written = live.text;
  let shownChars = written.length;
  /** Shown text that was not reported yet. */
  let untold = '';

  const show = (text: string) => {
    if (!text) return;
    live.addText(text);
    shownChars += text.length;
    untold += text;
  };
  const tell = () => {
    const text = untold;
    untold = '';
    if (text) onText(text);
  };
  const endThought = () => {
    const rest = thought.flush();
    if (rest) live.addReasoning(rest);
  };
  const endText = () => {
    endThought();
    show(said.flush());
    tell();
  };
  const forwarded = Object.fromEntries(
    (['heldText', 'rebuildFromParts', 'incomplete', 'mayBeDraft', 'resumePosition'] as const).map((name) => [
      name,
      { get: (): unknown => Reflect.get(live, name), set: (value: unknown) => void Reflect.set(live, name, value) },
    ]),
  );
  const own: Omit<WrittenReply, 'text' | 'heldText'> = {
    addText(text) {
      endThought();
      written += text;
      show(said.push(text));
    },
    addReasoning(text) {
      const now = thought.push(text);
      if (now) live.addReasoning(now);
    },
    removeTail(length) {
      if (length < 1) return;
      endText();
      const rest = written.slice(0, -length);
      said = createDetokenizer(valueOf);
      const kept = (said.push(rest) + said.flush()).length;
      live.removeTail(shownChars - kept);
      written = rest;
      shownChars = kept;
    },
    takeAsReasoning(sourceOf) {
      endText();
      written = '';
      shownChars = 0;
      said = createDetokenizer(valueOf);
      live.takeAsReasoning((requestId) => {
        const source = sourceOf(requestId);
        return source === undefined ? undefined : detokenizeText(source, valueOf);
      });
    },
    openCallAt(requestId, name) {
      endText();
      live.openCallAt(requestId, name);
    },
    placeCall(requestId) {
      endText();
      live.placeCall(requestId);
    },
    addBlock(part) {
      endText();
      live.addBlock(detokenize(part, valueOf));
    },
    finish(how) {
      const held = live.heldText;
      live.heldText = '';
      if (held) own.addText(held);
      endText();
      return live.finish(how);
    },
    end() {
      endText();
      live.end();
    },
  };
  const shown = Object.create(live, {
    ...forwarded,
    text: { get: () => written },
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, { value }])),
  }) as Live;
  return { live: shown, onText: tell };
}

/** Returns the event that the chart gets, with the values: it checks, shows and runs calls with them. */
export function tellValues(event: ConversationEvent, valueOf: ValueOf): ConversationEvent {
  if (event.type === 'call.found' || event.type === 'call.served') {
    const { arguments: args, flags } = event.request;
    const shown = detokenize(args, valueOf);
    const request = deepFreeze({ ...event.request, arguments: shown, flags: shown === args ? flags : [...flags, PRIVATE_FLAG] });
    return event.type === 'call.served'
      ? { ...event, request, ...(event.result && { result: detokenize(event.result, valueOf) }) }
      : { ...event, request };
  }
  return event.type === 'plan.found' ? { ...event, plan: detokenize(event.plan, valueOf) } : event;
}

/** Finds link destinations in streamed Markdown: their text leaves the page when the link is followed. */
interface Destinations {
  /** Continues with the next text. A pair of characters may be split between two chunks. */
  read(text: string): void;
  /**
   * Checks whether the next text may become part of a destination. A complete e-mail address does not count.
   *
   * @param after the text after it, up to two characters; empty if it is not known
   */
  isInside(next: string, after: string): boolean;
}

/** Characters that end a bare address. The punctuation is included because Chinese and Japanese have no blanks after it. */
const ENDS_ADDRESS = /[\s<，。、；：！？）】》」』]/;

const OPENINGS = { link: '](', definition: ']:', autolink: '<' };

/**
 * The maximum number of open candidates. No ordinary text has as many; beyond that, everything up to the end of the line counts as
 * destination.
 */
const MOST = 16;

/** A possible destination of a link. Only the rest of the text can tell if it really is one. */
interface Candidate {
  kind: keyof typeof OPENINGS;
  /** True if blanks may still precede it. */
  isAwaited: boolean;
  isInAngles: boolean;
  /** The number of brackets that it has opened and not closed. */
  depth: number;
  /** Its first characters in lower case, enough to recognize `mailto:`. */
  beginning: string;
}

/** Treats more text as a destination than the renderer does, never less. E-mail addresses are links without any markup. */
function createDestinations(): Destinations {
  let candidates: Candidate[] = [];
  /** True after `https://`, `http://` or `www.`, at any position. */
  let isAddress = false;
  let areTooMany = false;
  /** The last characters, in lower case. */
  let last = '';
  let isEscaped = false;

  function next(char: string): void {
    last = (last + char.toLowerCase()).slice(-8);
    isAddress = (isAddress && !ENDS_ADDRESS.test(char)) || /(?:https?:\/\/|www\.)$/.test(last);
    const wasEscaped = isEscaped;
    isEscaped = char === '\\' && !wasEscaped;
    if (char === '\n') areTooMany = false;
    candidates = candidates.filter((one) => goesOn(one, char, wasEscaped));
    for (const [kind, opening] of Object.entries(OPENINGS) as [Candidate['kind'], string][])
      if (last.endsWith(opening)) candidates.push({ kind, isAwaited: kind !== 'autolink', isInAngles: false, depth: 0, beginning: '' });
    if (candidates.length > MOST) {
      candidates = [];
      areTooMany = true;
    }
  }

  return {
    read(text) {
      for (const char of text) next(char);
    },
    isInside: (next, after) =>
      isAddress ||
      areTooMany ||
      /^(?:[@\w+]|[.-][@\w+.-])/.test(after) ||
      (next.includes('@') && /[\w+.-]$/.test(last)) ||
      candidates.some((one) => isDestination(one, after.charAt(0))),
  };
}

/** Other blanks, such as the no-break space, may be part of a destination. */
const isBlank = (char: string): boolean => char <= ' ';

function goesOn(one: Candidate, char: string, isEscaped: boolean): boolean {
  if (one.isAwaited) {
    if (isBlank(char)) return true;
    one.isAwaited = false;
    if (char === '<') return (one.isInAngles = true);
  }
  if (one.isInAngles && (char === '\n' || (char === '>' && !isEscaped))) return false;
  if (!one.isInAngles && isBlank(char)) return false;
  if (one.kind === 'autolink' && char === '>') return false;
  if (one.kind === 'link' && !one.isInAngles && !isEscaped) {
    if (char === '(') one.depth += 1;
    if (char === ')' && one.depth-- === 0) return false;
  }
  if (one.beginning.length < 8) one.beginning += char.toLowerCase();
  return true;
}

/** A `mailto:` link to exactly this address reveals nothing to others. If the value is only part of the address, it would. */
function isDestination({ kind, beginning, isInAngles }: Candidate, after: string): boolean {
  if (beginning === 'mailto:')
    return !(isInAngles || kind === 'autolink' ? '>?' : kind === 'link' ? ')? \n' : '? \n').includes(after || 'a');
  return kind !== 'autolink' || beginning !== '' || !'> \n'.includes(after || 'a');
}
