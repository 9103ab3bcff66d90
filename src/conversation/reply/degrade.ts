/**
 * Falls back to a simpler mode (`degrade`): stream → one whole answer → plain chat. Each step is reported and can be reversed. It is never
 * taken once something of the turn has happened: an event of its reply, or a call of a tool.
 */
import { type Failure, failureOf } from '../../transports/failure.js';
import type { Notices } from '../chart/notices.js';
import type { Settings } from '../options/settings.js';
import type { ReplyOutcome } from '../../transports/reply-request.js';
import { nextRetry } from '../../transports/retry.js';
import { endpointSteps } from '../calls/strategies.js';
import type { ConversationEvent, TurnFailure, FinishedReply, Turn } from '../chart/chart-context.js';

export type SimplerMode = 'whole' | 'plain';

export interface DegradedModes {
  /** Checks whether requests to this endpoint ask for a stream. */
  streams(settings: Settings): boolean;
  /** Called when an answer, or the beginning of one, has arrived. */
  worked(settings: Settings): void;
  /**
   * Called when a request failed before anything of its reply arrived. `switched`: the next request asks for the whole answer at once.
   * `offer`: the user may choose that. `elsewhere` tells whether that request has another address.
   */
  failed(error: Failure, settings: Settings, elsewhere?: () => boolean): 'switched' | 'offer' | undefined;
  /** Called when the code that teaches and reads tools could not be loaded. Returns whether this answer does without them. */
  withoutTools(settings: Settings): boolean;
  /** Called when that code could be loaded. */
  withTools(): void;
  /** Switches to the mode that the user has chosen. */
  take(mode: SimplerMode): void;
}

/**
 * Number of failed requests in a row after which streaming is to blame. A single failure may be an accident, which the table of retries
 * handles.
 */
const ENOUGH = 2;

export function createDegradedModes(notices: Notices): DegradedModes {
  let endpoint = '';
  let mode: 'stream' | 'trying' | 'whole' = 'stream';
  let failures = 0;
  let takePlain = false;

  function stream() {
    mode = 'stream';
    failures = 0;
    notices.remove('whole');
  }

  /** Resets what is known when the endpoint changes, because it holds for one endpoint. */
  function at(settings: Settings) {
    if (settings.endpoint === endpoint) return;
    endpoint = settings.endpoint;
    if (mode !== 'stream') stream();
    failures = 0;
  }

  return {
    streams(settings) {
      at(settings);
      return settings.stream === 'on' && mode === 'stream';
    },
    worked() {
      failures = 0;
      if (mode !== 'trying') return;
      mode = 'whole';
      notices.add({
        id: 'whole',
        text: ({ noticeWhole }) => noticeWhole,
        action: { label: ({ retryStreaming }) => retryStreaming, run: stream },
      });
    },
    failed(error, settings, elsewhere = () => true) {
      at(settings);
      if (settings.stream === 'off' || settings.degrade === 'off' || !isOfStream(error, elsewhere)) return undefined;
      if (mode !== 'stream') {
        // The stream is not the only problem, so begin again with it.
        if (mode === 'trying') stream();
        return undefined;
      }
      failures += 1;
      if (settings.degrade === 'ask' || failures < ENOUGH) return 'offer';
      mode = 'trying';
      return 'switched';
    },
    withoutTools({ degrade }) {
      if (degrade === 'off' || (degrade === 'ask' && !takePlain)) return false;
      takePlain = false;
      notices.add({ id: 'plain', text: ({ noticePlain }) => noticePlain });
      return true;
    },
    withTools() {
      notices.remove('plain');
    },
    take(simpler) {
      if (simpler === 'plain') takePlain = true;
      else mode = 'trying';
    },
  };
}

/**
 * Checks whether the failure is typical of a server that responds but cannot stream. Refused access, rate limits and unreachable servers
 * are not.
 */
function isOfStream({ kind, status = 0 }: Failure, elsewhere: () => boolean): boolean {
  if (kind === 'server') return status >= 500 && status !== 529;
  if (kind === 'not-found') return elsewhere();
  return kind === 'cut' || kind === 'bad-response';
}

/** Returns the event. Only `reply.ended` lets calls run. `elsewhere` tells whether a whole answer is requested at another address. */
export function classifyOutcome(
  outcome: ReplyOutcome,
  reply: FinishedReply,
  turn: Turn,
  withheld: boolean,
  filtered: boolean,
  degrading: DegradedModes,
  elsewhere: () => boolean,
): ConversationEvent {
  if (outcome.type !== 'failed' || outcome.afterFirstEvent) degrading.worked(turn.settings);
  if (outcome.type === 'ended') {
    if (!withheld) return { type: 'reply.ended', reply };
    return { type: 'reply.failed', failure: failureOf(filtered ? 'content-filter' : 'endpoint'), reply, retry: null };
  }
  if (outcome.type === 'aborted') return { type: 'reply.cut', failure: failureOf('stall'), reply };
  if (outcome.type === 'cut') return { type: 'reply.cut', failure: outcome.error, reply };
  const failure: TurnFailure = { ...outcome.error, ...(outcome.retryAfterMs !== undefined && { retryAfterMs: outcome.retryAfterMs }) };
  // After the first event, or once a tool of this turn has run, asking again could double something.
  if (outcome.afterFirstEvent || turn.iterations > 0) return { type: 'reply.failed', failure, reply, retry: null };
  const { table, hint, degrade } = endpointSteps(turn.settings, outcome);
  const next = nextRetry(table, turn.attempts, hint);
  const simpler = degrade ? degrading.failed(outcome.error, turn.settings, elsewhere) : undefined;
  if (next)
    return {
      type: 'reply.failed',
      failure,
      reply,
      retry: { ...next, attempt: turn.attempts[next.class] + 1, of: table[next.class].length },
    };
  // A request that failed without a network does not count as an attempt: the next one waits for the network (`connection.ts`).
  if (outcome.error.offline && table.network.length > 0)
    return { type: 'reply.failed', failure, reply, retry: { delayMs: 0, attempt: 1, of: 1, class: 'network' } };
  // The attempt after those of the table is the one in the simpler mode. A server that wants no retry gets none.
  const wanted = outcome.shouldRetry !== false && outcome.retryAfterMs === undefined;
  if (simpler === 'switched' && wanted)
    return { type: 'reply.failed', failure, reply, retry: { delayMs: 0, attempt: 1, of: 1, class: 'server' } };
  return { type: 'reply.failed', failure: { ...failure, ...(simpler === 'offer' && { offer: 'whole' }) }, reply, retry: null };
}
