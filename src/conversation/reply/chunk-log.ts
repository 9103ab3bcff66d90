/**
 * Logs what has arrived, at the lowest level. It logs lines and never chunks: a secret that is split over two chunks would match no pattern
 * in either of them.
 */
import type { Log } from '../../base/logging.js';
import { hideSecrets } from '../../base/redact.js';
import { createUnknownFields, type UnknownFields } from '../../transports/known-fields.js';
import type { WireEvent } from '../../transports/wire.js';
import { HIDDEN } from '../../tools/sensitive.js';

/** Length up to which a line is collected, in UTF-16 units. A longer line is logged in parts. */
const LONGEST = 2_000;

/** Length that is kept back when a long line is cut, in UTF-16 units. No pattern looks further. */
const MARGIN = 600;

/** Length above which a line that cannot be cut is hidden, in UTF-16 units. */
const UNSEEN = 16_000;

/** Number of positions that are tried for one cut, so that a long line takes linear time. */
const TRIES = 8;

/** Texts that would be a secret after `password` or `password:`. */
const PROBES = ['value', ': value'];

export interface ChunkLog {
  /** Logs text. `hidden`: the text itself must not be logged. */
  add(text: string, hidden: boolean): void;
  /** Logs an event of the wire. If it holds text of the model, only its amount is logged. */
  event(event: WireEvent): void;
  /** Takes a frame or a body before it is parsed. Its unknown parts are named at the end, once per conversation. */
  heard: UnknownFields['hear'];
  /** Called when another wire has read the reply. */
  readAs: UnknownFields['readAs'];
  end(): void;
}

/** The unknown parts that were named, by conversation. */
const named = new WeakMap<Log, Set<string>>();
const MOST_NAMED = 300;

/** @param wireId id of the wire that reads the reply */
export function createChunkLog(log: Log, wireId = ''): ChunkLog {
  const unknown = createUnknownFields(wireId);
  let wire = wireId;
  let pieces: string[] = [];
  let length = 0;
  let hides = false;
  /** The length at which the next cut is tried if no line has ended. */
  let next = LONGEST;

  /** Number of pieces and of UTF-16 units, by the type of event. */
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
    // If a line was too long to check, the rest of it stays hidden too.
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

/** Returns where the text can be cut: after its last line or, if a line is too long, at a blank. 0 = nowhere yet. */
function safeCut(text: string): number {
  const line = lastSafe(text, '\n', text.length);
  return line > 0 || text.length <= LONGEST ? line : lastSafe(text, ' ', text.length - MARGIN);
}

function lastSafe(text: string, mark: string, from: number): number {
  for (let tries = 0, at = text.lastIndexOf(mark, from - 1); tries < TRIES && at > 0; tries++, at = text.lastIndexOf(mark, at - 1))
    if (isSafe(text, at + 1)) return at + 1;
  return 0;
}

/** Checks that the two parts by themselves hide what the whole hides, whatever follows. */
function isSafe(text: string, at: number): boolean {
  const head = text.slice(0, at);
  const hidden = hideSecrets(head);
  return [text.slice(at), ...PROBES].every((next) => hideSecrets(head + next) === hidden + hideSecrets(next));
}

/** Returns the length of the model's text in an event; undefined if the event holds none and is logged as it is. */
function sizeOf(event: WireEvent): number | undefined {
  if (event.type === 'text' || event.type === 'reasoning') return event.text.length;
  return event.type === 'tool' ? (event.arguments?.length ?? 0) : undefined;
}
