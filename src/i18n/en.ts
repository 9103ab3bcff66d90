/** English. This file gives the type that every other language satisfies; wording that hosts may rely on is kept to the letter. */
import { callsEn } from './en-calls.js';
import { firstEn } from './en-first.js';
import type { FaultTexts } from './fault-texts.js';

const moreEn = {
  // Approval of many
  allowCount: (count: number) => `Allow ${count}`,
  allowNone: 'Allow none',
  waitingCalls: (count: number) => `${count} actions wait for your decision`,
  readEach: 'Read each of them to the end to allow all',

  // Rehearsal: what calls would do is shown before any of them runs
  reasonDrifted: 'Needs approval again, and has not run: it would now do something else than was shown',
  reasonBehind: 'Needs approval again: a step before it would now do something else than was shown',
  traceRehearsed: (steps: number) => `What is to happen was looked at before any of it runs: ${steps} steps`,

  // Grants: what a person allows beyond one call
  noGrants: 'Nothing beyond single calls',
  newAnswer: 'New answer',
  putAway: 'Put this away',
  movePanel: 'Move',
  sizePanel: 'Resize',
  gripHint: 'Drag, or use the arrow keys. A double click or Home puts it back',
  revokeGrant: (sentence: string) => `Revoke: ${sentence}`,
  saidRevoked: (sentence: string) => `Revoked: ${sentence}`,

  // Editing: a person changes the arguments of a call, or runs a failed one again
  editHeading: (label: string) => `Change the parameters: ${label}`,
  previewEdit: 'Preview',
  checkingEdit: 'Checking…',
  notSet: 'Not set',
  jsonExpected: 'Not valid JSON. Lists and objects are written as JSON.',
  fixFields: 'Some values do not fit yet',
  moreQuestions: (count: number) => `· ${count} more after this`,

  // Results for the model and the card
  serviceDid: 'Done by the service',
  serviceLeftOpen: 'Asked for by the service, not executed here',
  wrongNotation: (tool: string) => `The call of ${tool} was written in another format than the one asked for, and was not executed`,

  // Kept conversations: after a reload, on the next page, in another tab
  waitingForTool: 'Waiting for this page to offer the tool…',
  verifying: 'Finding out whether it has happened…',
  verifiedDone: 'It had happened before the page was left',
  verifiedNotDone: 'The page was left before it happened; it was not executed',
  toolChanged: (name: string) =>
    `The tool “${name}” has changed since it was called, so it was not executed. Call it as it is described now, if it is still needed`,
  decideHere: 'The conversation has moved to this tab: please decide once more',
  /** `title`: of that tab; may be empty. */
  tabSilent: (title: string) =>
    `This conversation is active in another tab${title && ` (“${title}”)`}, which is not responding. Go to that tab, or close it`,
  tabNotSent: (title: string) =>
    `Not sent: the other tab${title && ` (“${title}”)`} did not respond. Go to that tab or close it, then send again`,
  storageUnavailable: 'This page has no storage',
  storageBlocked: 'Another tab keeps the storage busy: close it, or reload it',
  storageNewer: 'The conversation was stored by a newer version: reload the page',
  storageFull: 'The storage of this site is full',
  storageSlow: 'The storage does not answer',
  storageLost: 'The storage was closed or cleared',
  storageDamaged: 'The stored conversation could not be read and was set aside',
  storageUnkept: 'Part of the conversation cannot be stored',
  storageLeftOut: 'This tab’s storage is full: the oldest results and messages of this conversation will be missing after a reload',
  resultLeftOut: '(The rest of this result is no longer stored.)',
  earlierUnread: 'Earlier messages could not be read',

  // The composer: words that confirm, tools and templates to choose, messages that wait
  riskShort: { query: 'reads', write: 'changes', danger: 'dangerous', undeclared: 'effect unknown' },

  // Plans and questions
  planHeading: 'Plan',
  planProgress: (done: number, of: number) => `${done} of ${of} done`,
  planStep: { todo: 'to do', doing: 'in progress', done: 'done', failed: 'failed', skipped: 'skipped' },
  planNeeds: (titles: string) => `After: ${titles}`,
  saidPlan: (goal: string, steps: number) => `A plan in ${steps} ${steps === 1 ? 'step' : 'steps'}: ${goal}`,
  saidStep: (title: string, status: string) => `${title}: ${status}`,
  planUnusable: 'The assistant wrote a plan that could not be used.',
  clarifyHeading: 'Before I go on',
  clarifyDefault: 'If you do not say otherwise:',
  clarifyUseDefault: 'Use the default',
  clarifySend: 'Send answers',
  clarifySaysDefault: (guess: string) => `Go with the default: ${guess}`,
  clarifySaysRest: (guess: string) => `For the rest, go with the default: ${guess}`,
  clarifyAnswer: (question: string, answer: string) => `${question} ${answer}`,
  saidClarify: (questions: string, guess: string) => `The assistant would like to know: ${questions} By default: ${guess}`,

  // Memory: what is remembered beyond the messages
  memoryNothing: 'Nothing is remembered',
  memoryKinds: { slot: 'Always kept', entity: 'Names', preference: 'Preferences', fact: 'Facts', summary: 'Summaries' },
  memorySetByPage: 'Set by this page',
  memoryEdit: (text: string) => `Edit: ${text}`,
  memorySave: 'Save',
  memoryForget: 'Forget',
  memoryForgetOne: (text: string) => `Forget: ${text}`,
  memoryForgotten: 'Forgotten:',
  memoryBack: 'Remembered again',
  memoryForgetAll: 'Forget everything',
  memoryForgetAllAsk: 'Forget everything that is remembered here? This cannot be undone.',
  memoryAllForgotten: 'Everything was forgotten',
  memoryForgetFailed: 'It could not be forgotten: the storage did not answer. Try again.',

  // Other conversations
  historyBack: 'Back to the chat',
  historySearch: 'Search conversations',
  historyNone: 'Nothing here yet. What you talk about is kept here.',
  historyNoMatch: 'No conversation has these words in its title.',
  historyUntitled: 'Untitled',
  historyOpen: 'Open now',
  historyOpened: (title: string) => `Opened: ${title}`,
  historyRename: (title: string) => `Rename: ${title}`,
  historyDelete: (title: string) => `Delete: ${title}`,
  historyDeleteAsk: (title: string) => `Delete “${title}”? It cannot be brought back.`,
  historyDeleteNow: 'Delete',
  historyKeep: 'Keep it',
  historyDeleted: (title: string) => `Deleted: ${title}`,
  historyFailed: 'The storage of this browser did not answer.',
  historyToday: 'Today',
  historyYesterday: 'Yesterday',

  // The profile
  profileAsk: 'May the assistant learn your preferences from what you write, for later conversations too? You can see and delete them',
  profileAllow: 'Allow',
  profileAllowed: 'You allowed the assistant to learn your preferences from what you write',
  profileRefused: 'You do not want the assistant to learn your preferences',

  // Rendered text
  wrapLines: 'Wrap lines',
  sources: 'Sources',
  sourceNumber: (number: number) => `Source ${number}`,
  backToText: 'Back to the text',
  loadImage: (host: string) => `Load image from ${host}`,
  imageFailed: 'The image could not be loaded',

  // What calls gave back
  lookedAt: (count: number) => `Looked at ${count} things`,
  resultTable: (rows: number) => `Result: ${rows} rows`,
  rowsShown: (rows: number) => (rows === 1 ? '1 row' : `${rows} rows`),
  firstRows: (rows: number, total: number) => `The first ${rows} of ${total} rows`,
  columnsLeftOut: (count: number) => (count === 1 ? 'One more column is in the copy' : `${count} more columns are in the copy`),
  moreEntries: (count: number) => `Show ${count} more`,
  copyResult: 'Copy result',

  // The menu
  shortcuts: 'Keyboard shortcuts',
  keySend: 'Send the message',
  keyLine: 'New line',
  keyLast: 'Bring back your last message (in an empty field)',
  keyCommands: 'Ready messages and texts (in an empty field)',
  keyClose: 'Close what is open',
  keyMove: 'Move in menus and lists',
  keyShortcuts: 'Show these shortcuts (in the menu)',
  menuBack: 'Back to the menu',
  acts: 'What it did',
  actsNone: 'Nothing was changed in this conversation',
  showAct: 'Show',
  exportChat: 'Save the conversation as a file',
  exported: 'The conversation was saved as a file',
  importChat: 'Open a saved conversation',
  importFailed: (file: string) => `${file} is no saved conversation. Nothing was changed`,
  clearChat: 'Clear the conversation',
  clearAsk: 'Clear all messages of this conversation? What was done stays done',
  clearNow: 'Clear it',
  cleared: 'The conversation is cleared',
  clearFailed: 'The conversation could not be cleared. Try again',
  settingsTitle: 'Settings',
  useTools: 'The assistant may act',
  settingsTools: 'What it may do',
  newTools: 'Also what is added later',
  settingsMore: 'How it does it',
  asksAlways: 'Ask before everything it does',
  maxRounds: 'Steps for one message, at most',
  toolSeconds: 'Seconds for one step, at most',
  fromOne: 'It takes a whole number from 1. What was set before still holds',
  promptPreview: 'What the model is told',
  aboutTokens: (count: number) => `About ${count} tokens`,

  // Messages
  versionOf: (at: number, of: number) => `Version ${at} of ${of}`,
  previousVersion: 'Previous version',
  nextVersion: 'Next version',
  actionsStay: (count: number) =>
    count === 1 ? '1 action of the earlier version stays done' : `${count} actions of the earlier versions stay done`,
  actionsMayStay: (count: number) =>
    count === 1
      ? '1 action of the earlier version may have been carried out'
      : `${count} actions of the earlier versions were or may have been carried out`,
  goodAnswer: 'Good answer',
  badAnswer: 'Bad answer',
  feedbackReason: 'What could be better? (optional)',
  feedbackNoted: 'Noted',
  feedbackTakenBack: 'Taken back',
  staysDone: (count: number) => (count === 1 ? 'One action that followed stays done' : `${count} actions that followed stay done`),
  mayStayDone: (count: number) =>
    count === 1 ? 'One action that followed may have been carried out' : `${count} actions that followed were or may have been carried out`,

  // The composer, beyond writing
  noToolToChoose: 'No tool can be used now',
  filterTools: 'Filter tools',
  nothingFits: 'Nothing fits',
  removeLock: (name: string) => `Remove the lock: ${name}`,
  saidUnlocked: (name: string) => `No longer locked: ${name}`,
  filterTemplates: 'Filter templates',
  lockGone: (name: string) => `${name} can no longer be used; nothing was sent`,
  modelChosen: (name: string) => `From the next message on, ${name} answers`,
  readyMessages: 'Ready messages',
  voiceNotAllowed: 'The microphone is blocked for this page. Allow it in the browser, or write',
  voiceFailed: 'Speech could not be understood. Try again, or write',

  // What a call may still come to: it is tried again, runs again, does not fit
  cannotRunAgain: 'This can no longer be run again',
  editAndRun: 'Edit and run again',
  ranAgainBelow: 'Run again further down',
  askedBelow: 'Asked about further down',
  willRunAgain: 'Will be asked after this turn',
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
  toolTried: (times: number) => `Tried ${times} times.`,
  toolStandIn: (name: string) => `${name} is used instead`,
  adviceRateLimit: 'Please try again later.',
  adviceAuth: 'Sign in again, or check the configuration: a key or a permission is missing.',
  adviceNetwork: 'Check your network connection, or try again later.',
  adviceTimeout: 'The service may be busy: try again later.',
  adviceEmpty: 'Try other keywords, or fewer of them.',
  adviceFormat: 'Check the values and try again.',
  adviceForbidden: 'You may not do this: sign in as somebody who may, or ask for the permission.',
  adviceMissing: 'It may have been removed meanwhile: look it up again.',
  adviceConflict: 'It was changed meanwhile: look at it again, then change the values.',

  // Attachments
  pictureAdded: (count: number) => (count === 1 ? 'One picture is added' : `${count} pictures are added`),
  removePicture: (name: string) => `Remove the picture ${name}`,
  onlyPictures: 'Only pictures can be added: PNG, JPEG, GIF or WebP',
  noFiles: 'Pictures and other files can’t be sent in this chat',
  tooManyPictures: 'A message takes four pictures at most',
  pictureTooLarge: 'A picture could not be read or is too large. Try a smaller one',
  privateUnreadable: (why: string) =>
    `Nothing is sent: the page’s private values cannot be read (${why}). Whoever runs the page can correct it`,
  noticeUnseen: (names: string, textOnly: boolean) =>
    `The assistant cannot see ${names}: this service ${textOnly ? 'takes text only' : 'does not take it'}. Say in words what matters`,
};

/** A complete catalogue. Functions stand where words move. */
export type Texts = typeof firstEn & typeof callsEn & typeof moreEn & { readonly faults?: FaultTexts };

/**
 * Makes the English catalogue whole. Every part that is loaded on demand and has something to say calls this at its top. A call and no bare
 * import, for bundlers leave out a module of which nothing is used.
 */
export function wholeEnglish(): Texts {
  return Object.assign(firstEn, callsEn, moreEn);
}

export const en: Texts = wholeEnglish();
