/** Reports the end of a turn: first its error, then the end. Then the queue continues. */
import type { Chart, ConversationServices } from '../chart/services.js';
import type { CurrentReply } from '../reply/current-reply.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { TurnQueue } from './turn-queue.js';

export function watchTurnEnds(
  chart: Chart,
  { log, notifyHost: tell, texts, emit }: ConversationServices,
  queue: TurnQueue,
  arriving: CurrentReply,
): void {
  chart.on('turn.ended', ({ turnId, outcome: { failure, ...rest } }) => {
    arriving.end();
    const error = failure && chatErrorOf(failure, failureLines(failure, texts()));
    if (error) {
      const { code, status, errorType, layer, message } = error;
      // The relay's own message, which docs/relay.md explains. The user reads a less exact one.
      const { said, gate } = failure;
      const context = { code, status, ...(said !== undefined && { said }), ...(gate !== undefined && { gate }) };
      log.error('turn.failed', message, context, { layer, errorType: errorType ?? code });
      tell({ type: 'error', error });
    }
    log.info('turn.ended', 'Conversation turn ended', { reason: rest.reason });
    log.debug('stream.end', 'Written', { turnId }, { stage: 'WB' });
    // Wait until the chart has settled, but run before the next turn can begin: `stream-end` is the last event of a turn.
    queueMicrotask(() => {
      tell({ type: 'stream-end', success: rest.success, reason: rest.reason });
      queue.finish({ ...rest, ...(error && { error }) });
      emit('over');
    });
  });
}
