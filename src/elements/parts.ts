/** The parts that each element exports, so that all parts can be styled from outside of `<tool-chat>`. */

const editParts = ['argument-field'] as const;
const approvalParts = [
  'approval',
  'approve-button',
  'run-edited-button',
  'deny-button',
  'edit-button',
  'remember-choice',
  'tool-card-arguments',
  ...editParts,
] as const;
const checkParts = ['error-details', 'check-button', 'check-result'] as const;
const errorDetailsParts = [...checkParts, 'feedback-button'] as const;
const memoryParts = ['memory', 'memory-item'] as const;
const menuParts = ['menu', 'menu-item', 'jump-button'] as const;
const historyParts = ['history', 'history-search', 'history-item'] as const;
const grantParts = ['grants', 'grant', 'revoke-button'] as const;
const batchParts = ['approve-all-button', 'deny-all-button'] as const;
const resultParts = ['call-details', 'copy-button'] as const;
const callParts = [
  'tool-card',
  'tool-card-header',
  'tool-card-result',
  'undo-button',
  'jump-button',
  'undo-back-button',
  'call-details',
  ...approvalParts,
] as const;
const planParts = ['plan', 'plan-step', 'clarify', 'default-button', 'answer-button', 'send-answers-button'] as const;
const messageParts = [
  'message',
  'message-user',
  'message-assistant',
  'message-tool',
  'reasoning',
  'copy-button',
  'continue-button',
  'regenerate-button',
  'edit-message-button',
  'branch-picker',
  'feedback-button',
  'attachment',
  'call-list',
  ...callParts,
  ...planParts,
] as const;
const composerParts = [
  'composer',
  'input',
  'send-button',
  'stop-button',
  'quick-command',
  'tool-picker',
  'locked-tool',
  'attach-button',
  'attachment',
  'voice-button',
] as const;

/** The names of all parts of the panel, for the `exportparts` that the launcher sets on `<tool-chat-panel>`. */
export const panelParts = [
  'panel',
  'header',
  'logo',
  'title',
  'new-chat-button',
  'history-button',
  'menu-button',
  'expand-button',
  'grip',
  'messages',
  'starter',
  'status',
  'error-bar',
  'retry-button',
  'close-button',
  'notice',
  'offer-button',
  ...checkParts,
  ...messageParts,
  ...composerParts,
  ...batchParts,
  ...grantParts,
  ...memoryParts,
  ...historyParts,
  ...menuParts,
] as const;

export const exportEdit = editParts.join(', ');
export const exportResult = resultParts.join(', ');
export const exportApproval = approvalParts.join(', ');
export const exportErrorDetails = errorDetailsParts.join(', ');
export const exportMemory = memoryParts.join(', ');
export const exportMenu = [...menuParts, ...grantParts, ...memoryParts].join(', ');
export const exportHistory = historyParts.join(', ');
export const exportGrants = grantParts.join(', ');
export const exportBatch = batchParts.join(', ');
export const exportCall = callParts.join(', ');
export const exportPlan = planParts.join(', ');
export const exportMessage = messageParts.join(', ');
export const exportComposer = composerParts.join(', ');
export const exportPanel = panelParts.join(', ');
