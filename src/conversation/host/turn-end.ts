/** Ends a turn: its error is told, then its end, and whoever waits for it goes on. */
import type { Chart, Services } from '../chart/services.js';
import type { ArrivingReply } from '../reply/arriving-reply.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { TurnQueue } from './turn-queue.js';

export function watchTurnEnds(chart: Chart, { log, tell, texts, happens }: Services, queue: TurnQueue, arriving: ArrivingReply): void {
  chart.on('turn.ended', ({ turnId, outcome: { failure, ...rest } }) => {
    arriving.end();
    const error = failure && chatErrorOf(failure, failureLines(failure, texts()));
    if (error) {
      const { code, status, errorType, layer, message } = error;
      // The relay's own words for it, which docs/relay.md explains: what the user reads is less exact.
      const { said, gate } = failure;
      const context = { code, status, ...(said !== undefined && { said }), ...(gate !== undefined && { gate }) };
      log.error('turn.failed', message, context, { layer, errorType: errorType ?? code });
      tell({ type: 'error', error });
    }
    log.info('turn.ended', 'Conversation turn ended', { reason: rest.reason });
    log.debug('stream.end', 'Written', { turnId }, { stage: 'WB' });
    // After the chart has come to rest, and before the next turn may begin: nothing of this turn comes after its `stream-end`.
    queueMicrotask(() => {
      tell({ type: 'stream-end', success: rest.success, reason: rest.reason });
      queue.finish({ ...rest, ...(error && { error }) });
      happens('over');
    });
  });
}
