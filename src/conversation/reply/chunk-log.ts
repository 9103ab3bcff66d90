/**
 * What has arrived, for the log at its lowest level. Line by line, never piece by piece: a secret that came in two pieces would match no
 * pattern in either of them.
 */
import type { Log } from '../../base/logging.js';
import { hideSecrets } from '../../base/redact.js';
import { createUnknownParts, type UnknownParts } from '../../transports/known-fields.js';
import type { WireEvent } from '../../transports/wire.js';
import { HIDDEN } from '../../tools/sensitive.js';

/** UTF-16 units of one line that are waited for; what is longer goes out in parts. */
const LONGEST = 2_000;

/** What stays behind when a long line is cut: no pattern looks further. */
const MARGIN = 600;

/** A line of this length that can be cut nowhere is not shown. */
const UNSEEN = 16_000;

/** Places that are tried for one cut, so that a long line stays linear. */
const TRIES = 8;

/** What would be a secret behind `password` or `password:`. */
const PROBES = ['value', ': value'];

export interface ChunkLog {
  /** `hidden`: nothing of it may be told. */
  add(text: string, hidden: boolean): void;
  /** What came over the wire: that it came, and how much of it, never a text. */
  event(event: WireEvent): void;
  /** A frame or a body before it was read; what is not understood of it is named at the end, once in a conversation. */
  heard: UnknownParts['hear'];
  /** Another wire has read it. */
  readAs: UnknownParts['readAs'];
  end(): void;
}

/** By conversation: what was named. */
const named = new WeakMap<Log, Set<string>>();
const MOST_NAMED = 300;

/** @param wireId Who reads the reply. */
export function createChunkLog(log: Log, wireId = ''): ChunkLog {
  const unknown = createUnknownParts(wireId);
  let wire = wireId;
  let pieces: string[] = [];
  let length = 0;
  let hides = false;
  /** The length at which a cut is looked for again, where no line has ended. */
  let next = LONGEST;

  /** Of what comes in many pieces: how many, and UTF-16 units. */
  const came = new Map<string, { pieces: number; chars: number }>();

  const tell = (text: string) => {
    const shown = hides ? HIDDEN : text;
    if (text !== '') log.debug('stream.chunk', 'Chunk', { text: shown });
  };

  function flush(whole: boolean): void {
    const text = pieces.join('');
    const isTooLong = text.length > UNSEEN;
    hides ||= isTooLong;
    const at = whole || isTooLong ? text.length : safeCut(text);
    tell(text.slice(0, at));
    pieces = at < text.length ? [text.slice(at)] : [];
    length = text.length - at;
    // Behind what was too long to look through, the rest of its line stays unseen too.
    hides &&= isTooLong || length > 0;
    next = length + LONGEST;
  }

  function tellUnknown() {
    const known = named.get(log) ?? new Set();
    named.set(log, known);
    for (const part of unknown.parts) {
      if (known.size >= MOST_NAMED || known.has(`${wire} ${part}`)) continue;
      known.add(`${wire} ${part}`);
      log.debug('wire.unknown', `Not understood, and left out: ${part}`, { wire, part });
    }
  }

  return {
    heard: unknown.hear,
    readAs(id) {
      wire = id;
      unknown.readAs(id);
    },
    add(text, hidden) {
      if (!log.hears('debug')) return;
      pieces.push(text);
      length += text.length;
      hides ||= hidden;
      if (text.includes('\n') || length > next) flush(false);
    },
    event(event) {
      if (!log.hears('debug')) return;
      const { type } = event;
      const chars = sizeOf(event);
      if (chars === undefined) log.debug('wire.event', `Wire: ${type}`, { ...event });
      else {
        const { pieces = 0, chars: before = 0 } = came.get(type) ?? {};
        came.set(type, { pieces: pieces + 1, chars: before + chars });
      }
    },
    end() {
      flush(true);
      for (const [type, much] of came) log.debug('wire.event', `Wire: ${type}`, { type, ...much });
      came.clear();
      tellUnknown();
    },
  };
}

/** Where the text can be cut: behind its last line, or, of a line that is too long, at a blank. 0 = nowhere yet. */
function safeCut(text: string): number {
  const line = lastSafe(text, '\n', text.length);
  return line > 0 || text.length <= LONGEST ? line : lastSafe(text, ' ', text.length - MARGIN);
}

function lastSafe(text: string, mark: string, from: number): number {
  for (let tries = 0, at = text.lastIndexOf(mark, from - 1); tries < TRIES && at > 0; tries++, at = text.lastIndexOf(mark, at - 1))
    if (isSafe(text, at + 1)) return at + 1;
  return 0;
}

/** Both parts by themselves have to hide what the whole hides, whatever comes behind. */
function isSafe(text: string, at: number): boolean {
  const head = text.slice(0, at);
  const hidden = hideSecrets(head);
  return [text.slice(at), ...PROBES].every((next) => hideSecrets(head + next) === hidden + hideSecrets(next));
}

/** Undefined for what holds no words of the model, and is told as it is. */
function sizeOf(event: WireEvent): number | undefined {
  if (event.type === 'text' || event.type === 'reasoning') return event.text.length;
  return event.type === 'tool' ? (event.arguments?.length ?? 0) : undefined;
}
