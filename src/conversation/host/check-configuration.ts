/** Checks the endpoint at the exact URL that a message would be sent to. It is loaded when the user asks for the check. */
import { checkEndpoint } from '../../transports/check-endpoint.js';
import { chooseWire } from '../../transports/choose-wire.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { CheckReport } from '../../model/config-findings.js';
import { baseUrl } from '../../transports/prepare-request.js';
import type { Wire } from '../../transports/wire.js';
import type { Settings } from '../options/settings.js';

/** @param shown the error on the screen */
export async function checkConfiguration(
  settings: Settings,
  wires: readonly Wire[],
  stream: boolean,
  shown: ConversationContext['failure'],
): Promise<CheckReport> {
  const { headers, fetch } = settings;
  let { endpoint } = settings;
  try {
    const url = new URL(endpoint, baseUrl());
    const wire = await chooseWire(settings.wire, url, wires);
    if (/^https?:$/.test(url.protocol)) endpoint = wire.request({ messages: [], system: '', maxTokens: 1, stream }, url).url.href;
  } catch {
    // The check below reports what is wrong with the URL.
  }
  const report = await checkEndpoint({ endpoint, headers, fetch });
  if (report.finding !== 'ok' || (shown?.kind !== 'too-long' && shown?.kind !== 'overflow')) return report;
  return { ...report, finding: 'too-long', ...(shown.window !== undefined && { window: shown.window }) };
}
