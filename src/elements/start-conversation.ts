/** The modules that an open panel loads while the user reads and types: the conversation and the elements for its messages. */
import { load } from '../base/load.js';

export { buildConversation } from '../conversation/build-conversation.js';
export { internalsOf } from '../conversation/host/internals.js';
export { presets } from '../conversation/options/presets.js';
export { defaultSettings, fitsSetting } from '../conversation/options/read-settings.js';
export { approvalUnder, readToolCallConfig, settingsOf } from '../conversation/options/tool-call-config.js';
export { showMovedDocument } from './moved-document.js';
export { fitWindow } from './fit-window.js';
export { reportMissingParts } from './missing-parts.js';
export { createOptionalFeatures } from './optional-features.js';
export { defineMessage } from './define-message.js';
export { warnAboutPage, warnWithoutEndpoint } from './page-warnings.js';
export { loadAhead } from './preload.js';

/** Loads the persistence before the conversation is created. Returns undefined if `storage` is `none`. */
export async function loadPersistence(
  storage: unknown,
): Promise<typeof import('../conversation/persistence/persisted-session.js').createPersistedSession | undefined> {
  return (storage ?? 'none') === 'none'
    ? undefined
    : (await load(() => import('../conversation/persistence/persisted-session.js'))).createPersistedSession;
}
