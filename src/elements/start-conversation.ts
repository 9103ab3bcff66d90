/** What an open panel loads while a person reads and writes: the conversation, and what shows its messages. */
import { load } from '../base/load.js';

export { buildConversation } from '../conversation/build-conversation.js';
export { internalsOf } from '../conversation/host/internals.js';
export { presets } from '../conversation/options/presets.js';
export { defaultSettings, fitsSetting } from '../conversation/options/read-settings.js';
export { approvalUnder, readToolCallConfig, settingsOf } from '../conversation/options/tool-call-config.js';
export { showMovedAway } from './moved-away.js';
export { fitWindow } from './fit-window.js';
export { reportMissingParts } from './missing-parts.js';
export { createChoices } from './choices.js';
export { defineMessage } from './define-message.js';
export { warnOfPage, warnWithoutEndpoint } from './page-warnings.js';
export { loadAhead } from './preload.js';

/** What keeps a conversation comes before it. */
export async function keepingOf(storage: unknown): Promise<typeof import('../conversation/keeping/kept.js').kept | undefined> {
  return (storage ?? 'none') === 'none' ? undefined : (await load(() => import('../conversation/keeping/kept.js'))).kept;
}
