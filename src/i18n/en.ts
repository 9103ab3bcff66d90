/** The English catalog. It defines the type of all other languages. Texts that hosts may rely on must not change. */
import { callsEn } from './en-calls.js';
import { endpointEn } from './en-endpoint.js';
import { counted, firstEn } from './en-first.js';
import type { ErrorTexts } from './error-texts.js';

const moreEn = {
  // Approval of several calls
  allowCount: (count: number) => `Allow ${count}`,
  allowNone: 'Allow none',
  waitingCalls: (count: number) => `${counted(count, 'action')} waiting for your approval`,
  readEach: 'Review each item first',

  // Dry run: the effects of calls are shown before any of them runs
  reasonDrifted: 'Needs approval again, not executed: it no longer matches the preview',
  reasonBehind: 'Needs approval again: an earlier step no longer matches the preview',
  traceRehearsed: (steps: number) => `Dry run before anything runs: ${counted(steps, 'step')}`,

  // Permissions for more than one call
  noGrants: 'No permissions yet',
  newAnswer: 'New answer',
  putAway: 'Dismiss',
  movePanel: 'Move',
  sizePanel: 'Resize',
  gripHint: 'Drag, or use the arrow keys. Double-click or press Home to reset',
  revokeGrant: (sentence: string) => `Revoke: ${sentence}`,
  saidRevoked: (sentence: string) => `Revoked: ${sentence}`,

  // Editing: the user changes the arguments of a call, or runs a failed one again
  editHeading: (label: string) => `Edit parameters: ${label}`,
  previewEdit: 'Preview',
  checkingEdit: 'Checking…',
  notSet: 'Not set',
  jsonExpected: 'Not valid JSON. Lists and objects are written as JSON.',
  fixFields: 'Some values are not valid yet',
  moreQuestions: (count: number) => `· ${count} more after this`,

  // Results for the model and the card
  serviceDid: 'Done by the service',
  serviceLeftOpen: 'Requested by the service, not executed here',
  wrongNotation: (tool: string) => `The call of ${tool} was not written in the required format and was not executed`,

  // Saved conversations: after a reload, on the next page, in another tab
  waitingForTool: 'Waiting for this page to offer the tool…',
  verifying: 'Checking if it went through…',
  verifiedDone: 'Done before you left the page',
  verifiedNotDone: 'Not executed: you left the page first',
  toolChanged: (name: string) =>
    `The tool “${name}” has changed since it was called, so it was not executed. Call it as it is described now, if it is still needed`,
  decideHere: 'The conversation has moved to this tab: please decide again',
  /** `title`: the title of that tab; may be empty. */
  tabSilent: (title: string) =>
    `This conversation is active in another tab${title && ` (“${title}”)`}, which is not responding. Go to that tab, or close it`,
  tabNotSent: (title: string) =>
    `Not sent: the other tab${title && ` (“${title}”)`} did not respond. Go to that tab or close it, then send again`,
  storageUnavailable: 'This page has no storage',
  storageBlocked: 'Another tab is using the storage: close or reload it',
  storageNewer: 'The conversation was saved by a newer version: reload the page',
  storageFull: 'The storage of this site is full',
  storageSlow: 'The storage is not responding',
  storageLost: 'The storage was closed or cleared',
  storageDamaged: 'The saved conversation could not be read and was set aside',
  storageUnkept: 'Part of the conversation cannot be saved',
  storageLeftOut: 'This tab’s storage is full: the oldest results and messages of this conversation will be missing after a reload',
  resultLeftOut: '(The rest of this result is no longer saved.)',
  earlierUnread: 'Earlier messages could not be read',

  // The composer: confirmation words, tools and templates to choose, queued messages
  riskShort: { query: 'reads', write: 'changes', danger: 'dangerous', undeclared: 'effect unknown' },

  // Plans and questions
  planHeading: 'Plan',
  planProgress: (done: number, of: number) => `${done} of ${of} done`,
  planStep: { todo: 'to do', doing: 'in progress', done: 'done', failed: 'failed', skipped: 'skipped' },
  planNeeds: (titles: string) => `After: ${titles}`,
  saidPlan: (goal: string, steps: number) => `A plan in ${counted(steps, 'step')}: ${goal}`,
  saidStep: (title: string, status: string) => `${title}: ${status}`,
  planUnusable: 'The assistant wrote a plan that could not be used.',
  clarifyHeading: 'Before I continue',
  clarifyDefault: 'Default answer:',
  clarifyUseDefault: 'Use default',
  clarifySend: 'Send answers',
  clarifySaysDefault: (guess: string) => `Go with the default: ${guess}`,
  clarifySaysRest: (guess: string) => `For the rest, go with the default: ${guess}`,
  clarifyAnswer: (question: string, answer: string) => `${question} ${answer}`,
  saidClarify: (questions: string, guess: string) => `The assistant would like to know: ${questions} By default: ${guess}`,

  // Memory
  memoryNothing: 'No memories yet',
  memoryKinds: { slot: 'Always remembered', entity: 'Names', preference: 'Preferences', fact: 'Facts', summary: 'Summaries' },
  memorySetByPage: 'Set by this page',
  memoryEdit: (text: string) => `Edit: ${text}`,
  memorySave: 'Save',
  memoryForget: 'Forget',
  memoryForgetOne: (text: string) => `Forget: ${text}`,
  memoryForgotten: 'Forgotten:',
  memoryBack: 'Restored',
  memoryForgetAll: 'Forget everything',
  memoryForgetAllAsk: 'Forget everything? This cannot be undone.',
  memoryAllForgotten: 'Everything was forgotten',
  memoryForgetFailed: 'Could not forget it: the storage did not respond. Try again.',

  // Other conversations
  historyBack: 'Back to the chat',
  historySearch: 'Search conversations',
  historyNone: 'No conversations yet. Your chats will appear here.',
  historyNoMatch: 'No matching conversations.',
  historyUntitled: 'Untitled',
  historyOpen: 'Open now',
  historyOpened: (title: string) => `Opened: ${title}`,
  historyRename: (title: string) => `Rename: ${title}`,
  historyDelete: (title: string) => `Delete: ${title}`,
  historyDeleteAsk: (title: string) => `Delete “${title}”? This cannot be undone.`,
  historyDeleteNow: 'Delete',
  historyKeep: 'Keep it',
  historyDeleted: (title: string) => `Deleted: ${title}`,
  historyFailed: 'The browser’s storage did not respond.',
  historyToday: 'Today',
  historyYesterday: 'Yesterday',

  // The profile
  profileAsk: 'May the assistant learn your preferences from your messages, for later conversations too? You can view and delete them',
  profileAllow: 'Allow',
  profileAllowed: 'The assistant may learn your preferences from your messages',
  profileRefused: 'The assistant won’t learn your preferences',

  // Rendered text
  wrapLines: 'Wrap lines',
  sources: 'Sources',
  sourceNumber: (number: number) => `Source ${number}`,
  backToText: 'Back to the text',
  loadImage: (host: string) => `Load image from ${host}`,
  imageFailed: 'The image could not be loaded',

  // Results of calls
  lookedAt: (count: number) => `${counted(count, 'lookup')} done`,
  resultTable: (rows: number) => `Result: ${counted(rows, 'row')}`,
  rowsShown: (rows: number) => counted(rows, 'row'),
  firstRows: (rows: number, total: number) => `The first ${rows} of ${total} rows`,
  columnsLeftOut: (count: number) => `${counted(count, 'more column')} in the copy`,
  moreEntries: (count: number) => `Show ${count} more`,
  copyResult: 'Copy result',

  // The menu
  shortcuts: 'Keyboard shortcuts',
  keySend: 'Send the message',
  keyLine: 'New line',
  keyLast: 'Recall your last message (in an empty field)',
  keyCommands: 'Prompts and commands (in an empty field)',
  keyClose: 'Close what is open',
  keyMove: 'Move in menus and lists',
  keyShortcuts: 'Show these shortcuts (in the menu)',
  menuBack: 'Back to the menu',
  acts: 'Activity',
  actsNone: 'Nothing was changed in this conversation',
  showAct: 'Show',
  exportChat: 'Export conversation',
  exported: 'Conversation exported',
  importChat: 'Import conversation',
  importFailed: (file: string) => `${file} isn’t a saved conversation. Nothing was changed`,
  clearChat: 'Clear conversation',
  clearAsk: 'Clear all messages? Actions already taken won’t be undone',
  clearNow: 'Clear',
  cleared: 'Conversation cleared',
  clearFailed: 'The conversation could not be cleared. Try again',
  settingsTitle: 'Settings',
  useTools: 'Allow actions',
  settingsTools: 'Allowed actions',
  newTools: 'Include tools added later',
  settingsMore: 'Advanced',
  asksAlways: 'Ask before every action',
  maxRounds: 'Maximum steps per message',
  toolSeconds: 'Maximum seconds per step',
  fromOne: 'Enter a whole number, 1 or more. The previous value still applies',
  promptPreview: 'Prompt preview',
  aboutTokens: (count: number) => `About ${counted(count, 'token')}`,

  // Messages
  versionOf: (at: number, of: number) => `Version ${at} of ${of}`,
  previousVersion: 'Previous version',
  nextVersion: 'Next version',
  actionsStay: (count: number) =>
    count === 1 ? '1 action of the earlier version was not undone' : `${count} actions of earlier versions were not undone`,
  actionsMayStay: (count: number) =>
    count === 1
      ? '1 action of the earlier version may have gone through'
      : `${count} actions of earlier versions went through or may have gone through`,
  goodAnswer: 'Good answer',
  badAnswer: 'Bad answer',
  feedbackReason: 'What could be better? (optional)',
  feedbackNoted: 'Feedback noted',
  feedbackTakenBack: 'Feedback removed',
  staysDone: (count: number) => (count === 1 ? '1 later action was not undone' : `${count} later actions were not undone`),
  mayStayDone: (count: number) =>
    count === 1 ? '1 later action may have gone through' : `${count} later actions went through or may have gone through`,

  // More of the composer
  noToolToChoose: 'No tools available',
  filterTools: 'Filter tools',
  nothingFits: 'No matches',
  removeLock: (name: string) => `Unlock: ${name}`,
  saidUnlocked: (name: string) => `Unlocked: ${name}`,
  filterTemplates: 'Filter templates',
  lockGone: (name: string) => `${name} is no longer available. Nothing was sent`,
  modelChosen: (name: string) => `${name} answers from the next message on`,
  readyMessages: 'Prompts',
  voiceNotAllowed: 'The microphone is blocked for this page. Allow it in the browser, or type',
  voiceFailed: 'Speech could not be understood. Try again, or type',

  // Calls that run again or cannot run
  cannotRunAgain: 'This can no longer be run again',
  editAndRun: 'Edit and run again',
  ranAgainBelow: 'Run again below',
  askedBelow: 'Approval requested below',
  willRunAgain: 'Approval will be requested after this turn',
  expectedText: 'text',
  expectedInteger: 'a whole number',
  expectedNumber: 'a number',
  expectedBoolean: 'true or false',
  expectedList: 'a list, as JSON',
  expectedOneOf: (values: string) => `one of ${values}`,
  expectedForm: (form: string) => `text in the form ${form}`,
  expectedLength: (limits: string) => `${limits} characters`,
  expectedItems: (limits: string) => `${limits} entries`,
  expectedOr: ' or ',
  argumentsChanged: (json: string) => `This page changed the arguments to: ${json}`,
  serviceAnswered: (detail: string) => (detail ? `The service answered: ${detail}` : 'The service could not do this'),
  apiError: (status: number, detail: string) => `The service answered ${status}${detail && `: ${detail}`}`,
  toolRetryIn: (seconds: number, attempt: number, of: number) => `Trying again in ${seconds} s (attempt ${attempt} of ${of})`,
  toolTried: (times: number) => `Tried ${counted(times, 'time')}.`,
  toolStandIn: (name: string) => `Using ${name} instead`,
  adviceRateLimit: 'Please try again later.',
  adviceAuth: 'Sign in again, or check the configuration: a key or a permission is missing.',
  adviceNetwork: 'Check your network connection, or try again later.',
  adviceTimeout: 'The service may be busy: try again later.',
  adviceEmpty: 'Try other keywords, or fewer of them.',
  adviceFormat: 'Check the values and try again.',
  adviceForbidden: 'You don’t have permission to do this. Sign in with another account, or ask for access.',
  adviceMissing: 'It may have been removed. Look it up again.',
  adviceConflict: 'It has changed since. Check it again, then edit the values.',

  // Attachments
  pictureAdded: (count: number) => `${counted(count, 'image')} attached`,
  removePicture: (name: string) => `Remove image ${name}`,
  onlyPictures: 'Only images can be attached: PNG, JPEG, GIF or WebP',
  noFiles: 'Images and other files can’t be sent in this chat',
  tooManyPictures: 'A message can have up to four images',
  pictureTooLarge: 'An image could not be read or is too large. Try a smaller one',
  privateUnreadable: (why: string) => `Nothing was sent: this page’s private values cannot be read (${why}). Please tell the site owner`,
  noticeCallsCut: (most: number) => `The service made more than ${most} calls in one answer; the rest is not shown`,
  noticeUnseen: (names: string, textOnly: boolean) =>
    `The assistant cannot see ${names}: this service ${textOnly ? 'accepts text only' : 'does not accept it'}. Describe what matters`,
};

/** The type of a complete catalog. Texts are functions if word order differs between languages. */
export type Texts = typeof firstEn & typeof endpointEn & typeof callsEn & typeof moreEn & { readonly faults?: ErrorTexts };

/**
 * Completes the English catalog. Every lazy module with texts of its own calls this at its top. A bare import is not enough, because
 * bundlers drop modules whose exports are not used.
 */
export function fullEnglish(): Texts {
  return Object.assign(firstEn, endpointEn, callsEn, moreEn);
}

export const en: Texts = fullEnglish();
