/** What a person can do about an error: try again, take a simpler mode, have the configuration checked, tell the host. */
import { load } from '../../base/load.js';
import { chooseWire } from '../../transports/choose-wire.js';
import type { CheckReport } from '../../model/config-findings.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { Wire } from '../../transports/wire.js';
import type { Chart, Services } from '../chart/services.js';
import type { ReplyParts } from '../reply/reply-reading.js';
import type { Turns } from './turns.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { Settings } from '../options/settings.js';
import type { ConversationSurface } from '../../model/snapshot.js';

export type RecoveryUi = Pick<ConversationSurface, 'retry' | 'answerNotice' | 'takeOffer' | 'checkConfiguration' | 'giveFeedback'>;

export function createRecoveryUi(
  chart: Chart,
  { notices, settings, tell, wires }: Services,
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
      const report = await check(settings(), wires, degrading.streams(settings()));
      if (report.finding !== 'ok' || (shown?.kind !== 'too-long' && shown?.kind !== 'overflow')) return report;
      return { ...report, finding: 'too-long', ...(shown.window !== undefined && { window: shown.window }) };
    },
    giveFeedback() {
      const shown = failure();
      if (shown) tell({ type: 'feedback', error: chatErrorOf(shown, failureLines(shown, settings().texts)) });
    },
  };
}

/** At the very address that a message would be sent to. */
async function check(settings: Settings, wires: readonly Wire[], stream: boolean): Promise<CheckReport> {
  const { headers, fetch } = settings;
  let { endpoint } = settings;
  try {
    const url = new URL(endpoint, baseUrl());
    const wire = await chooseWire(settings.wire, url, wires);
    if (/^https?:$/.test(url.protocol)) endpoint = wire.request({ messages: [], system: '', maxTokens: 1, stream }, url).url.href;
  } catch {
    // What is wrong with it, the check says.
  }
  try {
    const { checkEndpoint } = await load(() => import('../../transports/check-endpoint.js'));
    return await checkEndpoint({ endpoint, headers, fetch });
  } catch {
    return { finding: 'offline', endpoint: '' }; // not even our own file can be had
  }
}
