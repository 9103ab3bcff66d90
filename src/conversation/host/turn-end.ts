/** Ends a turn: its error is told, then its end, and whoever waits for it goes on. */
import type { Actor } from 'xstate';
import type { Texts } from '../../i18n/en.js';
import type { Log } from '../../base/logging.js';
import type { conversationMachine } from '../chart/conversation-machine.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { TellHost } from '../chart/hooks.js';
import type { TurnQueue } from './turn-queue.js';

export interface TurnEndDependencies {
  chart: Actor<typeof conversationMachine>;
  queue: TurnQueue;
  log: Log;
  tell: TellHost;
  texts(): Texts;
  /** Before anybody is told: the reply that was arriving is over. */
  ends(): void;
  /** After everybody was told. */
  ended(): void;
}

export function watchTurnEnds({ chart, queue, log, tell, texts, ends, ended }: TurnEndDependencies): void {
  chart.on('turn.ended', ({ turnId, outcome: { failure, ...rest } }) => {
    ends();
    const error = failure && chatErrorOf(failure, failureLines(failure, texts()));
    if (error) {
      const { code, status, errorType, layer, message } = error;
      log.error('turn.failed', message, { code, status }, { layer, errorType: errorType ?? code });
      tell({ type: 'error', error });
    }
    log.info('turn.ended', 'Conversation turn ended', { reason: rest.reason });
    log.debug('stream.end', 'Written', { turnId }, { stage: 'WB' });
    // After the chart has come to rest, and before the next turn may begin: nothing of this turn comes after its `stream-end`.
    queueMicrotask(() => {
      tell({ type: 'stream-end', success: rest.success, reason: rest.reason });
      queue.finish({ ...rest, ...(error && { error }) });
      ended();
    });
  });
}
