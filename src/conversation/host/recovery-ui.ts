/** The user's actions after an error: retry, switch to a simpler mode, have the configuration checked, send feedback to the host. */
import { load } from '../../base/load.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { ReplyParts } from '../reply/reply-reading.js';
import type { Turns } from './turns.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { ConversationSurface } from '../../model/snapshot.js';

export type RecoveryUi = Pick<ConversationSurface, 'retry' | 'answerNotice' | 'takeOffer' | 'checkConfiguration' | 'giveFeedback'>;

export function createRecoveryUi(
  chart: Chart,
  { notices, settings, notifyHost: tell, wires }: ConversationServices,
  { connection, degrading }: Pick<ReplyParts, 'connection' | 'degrading'>,
  turns: Turns,
): RecoveryUi {
  const failure = () => chart.getSnapshot().context.failure;
  const retry = () => void turns.retry();
  return {
    retry() {
      if (!connection.tryNow()) retry();
    },
    answerNotice: notices.answer,
    takeOffer() {
      const offer = failure()?.offer;
      if (!offer) return;
      degrading.take(offer);
      retry();
    },
    async checkConfiguration() {
      const shown = failure();
      try {
        const { checkConfiguration } = await load(() => import('./check-configuration.js'));
        return await checkConfiguration(settings(), wires, degrading.streams(settings()), shown);
      } catch {
        return { finding: 'offline', endpoint: '' }; // even our own file cannot be loaded
      }
    },
    giveFeedback() {
      const shown = failure();
      if (shown) tell({ type: 'feedback', error: chatErrorOf(shown, failureLines(shown, settings().texts)) });
    },
  };
}
