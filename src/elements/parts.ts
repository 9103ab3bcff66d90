/** The parts each element exports upwards, so that every part can be styled from outside of `<tool-chat>` (contract §2, Looks). */

const approvalParts = ['approval', 'approve-button', 'deny-button', 'remember-choice', 'tool-card-arguments'] as const;
const grantParts = ['grants', 'grant', 'revoke-button'] as const;
const batchParts = ['approve-all-button', 'deny-all-button'] as const;
const callParts = ['tool-card', 'tool-card-header', 'tool-card-result', 'undo-button', 'undo-back-button', ...approvalParts] as const;
const messageParts = [
  'message',
  'message-user',
  'message-assistant',
  'message-tool',
  'reasoning',
  'copy-button',
  'continue-button',
  ...callParts,
] as const;
const composerParts = ['composer', 'input', 'send-button', 'stop-button', 'quick-command'] as const;

/** All parts of the panel: the launcher puts them into the `exportparts` of `<tool-chat-panel>`. */
export const panelParts = [
  'panel',
  'header',
  'messages',
  'status',
  'error-bar',
  'retry-button',
  'close-button',
  ...messageParts,
  ...composerParts,
  ...batchParts,
  ...grantParts,
] as const;

export const exportApproval = approvalParts.join(', ');
export const exportGrants = grantParts.join(', ');
export const exportBatch = batchParts.join(', ');
export const exportCall = callParts.join(', ');
export const exportMessage = messageParts.join(', ');
export const exportComposer = composerParts.join(', ');
export const exportPanel = panelParts.join(', ');
