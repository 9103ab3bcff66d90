/** What an open panel loads while a person reads and writes: the conversation, and what shows its messages. */
export { createConversation } from '../conversation/conversation.js';
export { internalsOf } from '../conversation/host/internals.js';
export { presets } from '../conversation/options/presets.js';
export { defaultSettings, fitsSetting } from '../conversation/options/read-settings.js';
export { approvalUnder, readToolCallConfig, settingsOf } from '../conversation/options/tool-call-config.js';
export { showMovedAway } from './moved-away.js';
export { fitWindow } from './fit-window.js';
export { createChoices } from './choices.js';
export { defineMessage } from './define-message.js';
export { warnOfPage } from './page-warnings.js';
export { loadAhead } from './preload.js';
