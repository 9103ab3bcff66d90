/** Gathers what a conversation has for bad days: notices, simpler modes, the network, and what a person can do about an error. */
import { chooseWire } from '../../transports/choose-wire.js';
import type { CheckReport } from '../../model/config-findings.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { Wire } from '../../transports/wire.js';
import { createConnection } from '../reply/connection.js';
import { createDegrading } from '../reply/degrade.js';
import { chatErrorOf, failureLines } from '../view/failure-text.js';
import type { TellHost } from '../chart/hooks.js';
import { createNotices } from '../chart/notices.js';
import type { Settings } from '../options/settings.js';
import type { ConversationSurface } from '../../model/snapshot.js';
import type { Failure } from '../chart/chart-context.js';

export interface TroubleDependencies {
  settings(): Settings;
  wires: readonly Wire[];
  /** What is shown as the conversation's error. */
  failure(): Failure | null;
  tell: TellHost;
  retry(): void;
  changed(): void;
}

export type Troubles = ReturnType<typeof createTroubles>;

export function createTroubles({ settings, wires, failure, tell, retry, changed }: TroubleDependencies) {
  const notices = createNotices(changed);
  const degrading = createDegrading(notices);
  const connection = createConnection(changed);

  const surface: Pick<ConversationSurface, 'retry' | 'answerNotice' | 'takeOffer' | 'checkConfiguration' | 'giveFeedback'> = {
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
  return { notices, degrading, connection, surface };
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
    const { checkEndpoint } = await import('../../transports/check-endpoint.js');
    return await checkEndpoint({ endpoint, headers, fetch });
  } catch {
    return { finding: 'offline', endpoint: '' }; // not even our own file can be had
  }
}
