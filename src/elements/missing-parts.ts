/** Tells the user once per part that a part of the widget could not be loaded, and logs the file for the developer. */
import { loadMissingParts, watchMissingParts, type MissingPart } from '../base/load.js';
import type { Internals } from '../conversation/host/internals.js';
import type { ToolChatPanel } from './tool-chat-panel/tool-chat-panel.js';

const NOTICE = 'missing-part';

/** Reports missing parts as long as the panel is in the page. */
export function reportMissingParts(panel: ToolChatPanel, { log, notices }: Pick<Internals, 'log' | 'notices'>): void {
  const reported = new Set<string>();
  let stop: (() => void) | undefined;

  function onMissingPart(part: MissingPart | undefined): void {
    if (!part) {
      reported.clear();
      return notices.remove(NOTICE);
    }
    const { error, byUser } = part;
    const file = addressIn(error) ?? part.id;
    const isKnown = reported.has(file);
    reported.add(file);
    if (!isKnown) log.error('feature.missing', 'A part of the widget could not be loaded', { file }, { error });
    // An automatic retry must not bring back a notice that the user has closed.
    if (isKnown && !byUser) return;
    const isOffline = !navigator.onLine;
    notices.add({
      id: NOTICE,
      // Do not suggest a reload: without a network, the reloaded page would be lost.
      text: (texts) => (isOffline ? `${texts.loadFailed}. ${texts.checkNetwork}` : texts.partMissing),
      action: { label: ({ retry }) => retry, run: loadMissingParts },
    });
  }

  panel.addController({
    hostConnected() {
      stop ??= watchMissingParts(onMissingPart);
    },
    hostDisconnected() {
      stop?.();
      stop = undefined;
    },
  });
}

/** Returns the URL in an error message; undefined if the browser does not include it. */
function addressIn(error: unknown): string | undefined {
  return /\bhttps?:\/\/\S+/.exec(error instanceof Error ? error.message : '')?.[0];
}
