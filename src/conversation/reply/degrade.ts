/**
 * A simpler mode instead of none (`degrade`): stream → one whole answer → plain chat. Each step is told, can be gone back on, and is
 * never taken where something of the turn has happened already: neither an event of its reply nor a tool.
 */
import type { Failure } from '../../transports/failure.js';
import type { Notices } from '../chart/notices.js';
import type { Settings } from '../options/settings.js';

export type SimplerMode = 'whole' | 'plain';

export interface Degrading {
  /** Whether requests of this endpoint ask for a stream. */
  streams(settings: Settings): boolean;
  /** An answer, or the beginning of one, has come. */
  worked(settings: Settings): void;
  /**
   * A request failed before anything came of it. `switched`: the next one asks for the whole answer at once. `offer`: a person can have
   * it so. `elsewhere`: that one has an address of its own.
   */
  failed(error: Failure, settings: Settings, elsewhere?: () => boolean): 'switched' | 'offer' | undefined;
  /** What teaches and reads tools could not be loaded: whether this answer is to do without them. */
  withoutTools(settings: Settings): boolean;
  /** It could. */
  withTools(): void;
  /** The person wants it so. */
  take(mode: SimplerMode): void;
}

/** Failed requests in a row after which it is the stream that is to blame. One may be an accident, and the table of retries is for these. */
const ENOUGH = 2;

export function createDegrading(notices: Notices): Degrading {
  let endpoint = '';
  let mode: 'stream' | 'trying' | 'whole' = 'stream';
  let failures = 0;
  let takePlain = false;

  function stream() {
    mode = 'stream';
    failures = 0;
    notices.remove('whole');
  }

  /** What is known holds for one endpoint. */
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
        // It is more than the stream: from the beginning again.
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

/** What a server says, or does, that answers but cannot stream. Not: who is not let in, or comes too often, or reaches nobody. */
function isOfStream({ kind, status = 0 }: Failure, elsewhere: () => boolean): boolean {
  if (kind === 'server') return status >= 500 && status !== 529;
  if (kind === 'not-found') return elsewhere();
  return kind === 'cut' || kind === 'bad-response';
}
