/** Routes the segments of a reply: text to the screen, and calls to the call taker (`call-sink.ts`). */
import { own } from '../../base/objects.js';
import type { KeptPart } from '../../model/session.js';
import type { ReplyPiece } from './block-reader.js';
import { callSinkOf, type CallSink, type SinkState } from './lazy-call-sink.js';
import type { Reading } from './reply-reading.js';

export interface SegmentSink {
  take(piece: ReplyPiece): void;
  /** True if a call was found, complete or broken. */
  readonly found: boolean;
  /** The other protocol in which a call was written, with `accept="any"`. */
  readonly foreign: string | undefined;
  /** Resolves when nothing is held back and the display has caught up with what was read. */
  caughtUp(): Promise<void>;
  /** Shows at once what is held back. */
  release(): void;
  /**
   * Notes that a piece of the reply is missing here. A call that is complete after it may not be what was meant, so it asks for approval.
   */
  missing(): void;
  /** True if something belonged to a tool with sensitive parameters since `forgetSecrets` was called. */
  readonly heldSecrets: boolean;
  forgetSecrets(): void;
}

type Place = Pick<Reading['input']['turn']['settings'], 'endpoint' | 'model'>;

/** Identifies a model. The query is left out, because it may hold a key and this text may be stored. */
const idOf = ({ endpoint, model }: Place): string => `${endpoint.split('?', 1)[0]!} ${model}`;

/**
 * Remembers habits of models, by endpoint and model, as long as the page is open. They say nothing about a conversation, so clearing one
 * keeps them.
 */
function createModels() {
  const MOST = 100;
  const models = new Set<string>();
  return {
    has: (settings: Place) => models.has(idOf(settings)),
    add(settings: Place) {
      models.delete(idOf(settings));
      models.add(idOf(settings));
      for (const oldest of models) if (models.size > MOST) models.delete(oldest);
    },
  };
}

/** Models that were seen to write their reasoning as an answer, up to its end. */
const thinksAloud = createModels();

/**
 * Models that were seen to write calls in a dialect of their own. Their next reply is read without a wait. What may run does not depend on
 * it.
 */
const writeDialects = createModels();
export const acceptsDialects = (settings: Place): boolean => writeDialects.has(settings);

/**
 * The slice that `keeping.keep` saves: what the current model was seen to write. It decides how replies are read and what `auto` teaches,
 * never what may run. It says nothing about the conversation, so clearing one keeps it.
 */
export const keptHabits = (
  settings: () => Place,
  learned: { get(of: Place): string | undefined; set(of: Place, id: string): void },
): KeptPart => ({
  save() {
    const now = settings();
    const [dialect, protocol] = [acceptsDialects(now), learned.get(now)];
    return dialect || protocol ? { model: idOf(now), dialect, protocol } : undefined;
  },
  load(kept) {
    const now = settings();
    const [model, dialect, protocol] = ['model', 'dialect', 'protocol'].map((name) => own(kept, name));
    if (model !== idOf(now)) return;
    if (dialect === true) writeDialects.add(now);
    if (typeof protocol === 'string') learned.set(now, protocol);
  },
});

export function createSegmentSink(reading: Reading): SegmentSink {
  const { input, dependencies, live, ids, isStopped } = reading;
  const { onText } = dependencies;
  const { turn } = input;
  const state: SinkState = {
    ...{ found: false, foreign: undefined, calls: 0, incomplete: false, closed: false, secrets: false, sources: new Map() },
    mayBeDraft: thinksAloud.has(turn.settings),
  };
  live.mayBeDraft = state.mayBeDraft;
  /** With `on-block`, what was read after a call that is not settled yet. */
  let held: ReplyPiece[] | undefined;
  let waiting = Promise.resolve();
  let taker: CallSink | undefined;
  const calls = () => (taker ??= callSinkOf(reading, state, hold));

  function take(source: ReplyPiece) {
    if (isStopped() || state.closed) return;
    if (source.type === 'was-reasoning') return withdraw();
    if (state.calls > turn.settings.limits.callsPerReply && 'id' in source) {
      ids.forget(source.id);
      return;
    }
    if (held) {
      held.push(source);
      if (source.type === 'text') live.heldText += source.text;
      if (source.type === 'block') live.heldText += source.raw;
      return;
    }
    const segment = 'id' in source ? { ...source, id: ids.of(source.id) } : source;
    if (source.type === 'call' || source.type === 'call-error') ids.forget(source.id);
    if (source.type === 'call' && source.dialect !== undefined) writeDialects.add(turn.settings);
    switch (segment.type) {
      case 'text':
        live.addText(segment.text);
        onText(segment.text);
        return;
      case 'reasoning':
        live.mayBeDraft = state.mayBeDraft = false;
        live.addReasoning(segment.text);
        return;
      case 'hidden':
        return;
      default:
        calls().take(segment);
    }
  }

  /** Turns all segments so far into reasoning, including those that are held back. Calls that have begun stay. */
  function withdraw() {
    const waiting = held ?? [];
    held = held && [];
    live.heldText = '';
    for (const piece of waiting) {
      if (piece.type === 'text') live.addText(piece.text);
      else if (piece.type === 'block') live.addText(piece.raw);
      else if ('raw' in piece) live.addText(piece.raw);
      if ('id' in piece) ids.forget(piece.id);
    }
    const begun = new Set([...state.sources.keys()].filter(dependencies.hasBegun));
    reading.sendBack({ type: 'calls.withdrawn' });
    live.takeAsReasoning((requestId) => (begun.has(requestId) ? undefined : state.sources.get(requestId)));
    state.sources.clear();
    state.found = begun.size > 0;
    state.calls = begun.size;
    live.mayBeDraft = state.mayBeDraft = false;
    if (!state.found) state.foreign = undefined;
    thinksAloud.add(turn.settings);
  }

  function hold(requestId: string) {
    held = [];
    waiting = dependencies.whenSettled(requestId).then(release);
  }

  function release() {
    const segments = held ?? [];
    held = undefined;
    live.heldText = '';
    // One of them may be a call that holds back those behind it.
    for (const segment of segments) take(segment);
  }

  return {
    take,
    async caughtUp() {
      for (let last; last !== waiting;) await (last = waiting);
    },
    release,
    missing: () => void (state.incomplete = true),
    get found() {
      return state.found;
    },
    get foreign() {
      return state.foreign;
    },
    get heldSecrets() {
      return state.secrets;
    },
    forgetSecrets() {
      state.secrets = false;
      if (live.openCall) calls().noteSecrets(live.openCall.name);
    },
  };
}
