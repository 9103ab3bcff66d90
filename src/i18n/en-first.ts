/**
 * The English words that an open panel may need before it has loaded anything else: the frame, what can go wrong, and what a plain chat is
 * told. The rest is in `en.ts`.
 */
import type { Texts } from './en.js';
import { launcherEn } from './launcher.js';

export const firstEn = {
  ...launcherEn,
  loadFailed: 'Part of the assistant could not be loaded',
  retry: 'Retry',

  // Cards
  readingCall: 'Reading the tool call…',
  runningAnyTool: 'Running tool…',
  toolFinished: 'Tool finished',
  toolFailed: 'Tool failed',
  queued: 'Waiting its turn',
  declined: 'The user declined this action',
  interrupted: 'Interrupted: it may have happened',
  undoFailed: 'This could not be undone',
  cannotUndo: 'There is nothing to undo here',
  showDetails: 'Details',

  // Approval
  approve: 'Allow',
  replyToContinue: 'Reply with a confirmation word to continue',
  waitingForConfirmation: 'Waiting for confirmation',
  cannotAskHidden: 'The page hides this question, so it cannot be answered here',
  cannotAskFramed: 'This page is framed by another site, so nothing can be approved here',

  // Why a call runs, waits or was refused
  reasonPerson: 'Allowed by you',
  reasonVeto: 'Refused by this page',
  lockedNotUsed: (name: string) => `The assistant did not use ${name}`,
  lockedAdvice: 'Say more exactly what it should do, or send without it',

  // Editing: a person changes the arguments of a call, or runs a failed one again
  cannotRunAgain: 'This can no longer be run again',

  // Results for the model and the card
  toolCancelled: 'Cancelled before it finished; it may have happened',
  tooManyCalls: (limit: number) =>
    `Not executed: at most ${limit} calls of one reply are read, and this one and all behind it were left out. Send the rest in the next reply`,
  notExecuted: 'Not executed',
  malformedCall: (problem: string) => `This tool call could not be read (${problem}) and was not executed`,
  problemUnclosed: 'it was not finished',
  problemMissingName: 'the tool name is missing',
  problemBadJson: 'the JSON is not valid',
  problemBadShape: 'its shape is not allowed',
  problemMalformed: 'there is text where only markup may stand; values that contain closing tags go into <![CDATA[ … ]]>',
  problemTooLarge: 'accumulator overflow: it is too large',
  problemMalformedVcp: 'a value has no end or holds marks of the format; such values go between 「始ESCAPE」 and 「末ESCAPE」',
  problemMisplaced: 'there is text where none may stand',
  needsFacade: (method: string) =>
    `The page’s method “${method}” takes its arguments one by one, so it cannot be called by name. It needs a flat facade: a method that takes one object with named parameters`,

  // Errors
  cannotReach: 'Cannot reach the server',
  timedOut: 'The request timed out, please try again',
  timeoutAdvice:
    'The server took the message and has not begun to answer. Whoever runs this page: a model that reads for long needs a larger “request-timeout”',
  connectionLost: 'Connection lost',
  checkNetwork: 'Check your network connection',
  checkEndpoint: 'The endpoint may not allow this site, or its address may be wrong',
  unauthorised: 'Not authorised, please sign in',
  forbidden: 'Not authorised, please sign in',
  endpointNotFound: 'The assistant’s address was not found',
  tooLong: 'The conversation is too long for the server',
  tooManyRequests: 'Too many requests, please try again later',
  tryAgainIn: (seconds: number) => `Try again in ${seconds} s`,
  serverError: 'Server error',
  reasonTainted: (tool: string) => `Asks because it follows outside content read by ${tool}`,
  reasonServed: (tool: string) => `Asks because it follows outside content that the service read with ${tool}`,
  reasonImported: 'Asks because it follows an imported conversation',
  notSetUp: 'The assistant is not set up yet',
  tellOwner: 'Please tell whoever runs this page. Trying again will not help.',
  modelAway: 'The assistant cannot answer right now',
  modelSilent: 'The assistant has stopped answering',
  tryLater: 'Please try again in a moment',
  goOnAdvice: 'What has arrived is kept. Ask again for the rest.',
  badRequest: 'The server did not accept the request',
  redirected: 'The server tried to send the request elsewhere; that is not allowed',
  badResponse: 'The server’s answer could not be read',
  tooLarge: 'The server’s answer is larger than the limit',
  endpointError: 'The assistant reported an error',
  contentFilter: 'The answer was withheld by the model’s provider',
  limitReached: (rounds: number) => `Stopped after ${rounds} rounds of tools`,
  fruitlessReached: 'Stopped: none of the assistant’s last calls could be run',
  repeatReached: 'Stopped: the assistant kept asking for the same thing',
  noEndpoint: 'No endpoint is set',
  error: 'Something went wrong',
  cancel: 'Cancel',
  close: 'Close',
  help: 'Help',
  retryingIn: (seconds: number, attempt: number, of: number) => `Retrying in ${seconds} s (${attempt}/${of})`,
  reconnecting: (attempt: number, of: number) => `Reconnecting (${attempt}/${of})`,
  answerCut: 'The answer was cut off',
  answerIncomplete: 'A piece of this answer was lost on the way: something is missing',
  answerStopped: 'Stopped',
  answerTooLong: 'The answer reached its length limit',
  continueAnswer: 'Continue',
  allowLocalNetwork:
    'The browser asks before a site may reach programs on this computer or in this network: allow it in the site settings. The model server has to allow this site, too (OLLAMA_ORIGINS in Ollama, the CORS switch elsewhere)',
  noLocalModel: 'This browser has no model of its own that this page could use',
  needsGesture: 'The browser has to download its model first, and starts that only after a click: please press Retry',
  tooLongForModel: 'The conversation is too long for this model',
  windowAdvice: (tokens: number) =>
    `It reads ${tokens} tokens at once. Start a new conversation, or send less. Whoever runs this page: register fewer tools, or serve the model with a larger window`,
  budgetReached: (tokens: number) => `This session has used its budget of ${tokens} tokens; nothing was sent`,
  budgetAdvice: 'Start a new conversation, or ask whoever runs this page for more',
  gateRefused: 'The server refused this step: it does not fit the conversation',
  gateUnanswered: 'The server refused this step: a tool call is still open',
  gateUnknownResult: 'The server refused this step: it tells of a result that belongs to no tool call',
  gateForgedCall: 'The server refused this step: it tells of a tool call that the assistant did not make',
  gateUnconfirmed: 'The server refused this step: a tool call was not confirmed',
  gateReplayed: 'The server refused this step: it was answered before',
  gateRounds: 'The server allows no more rounds of tools for this message',
  gateUnknownSession: 'The server does not know this conversation any more',
  gateAdvice: 'Send a new message to go on',

  // The frame
  heading: 'Assistant',
  placeholder: 'Write a message…',
  send: 'Send',
  stop: 'Stop',
  thinking: 'Thinking…',
  loadingModel: (percent: number) => `Downloading the model… ${percent} %`,
  answering: 'Answering…',
  reasoning: 'Reasoning',
  emptyTitle: 'How can I help?',
  you: 'You',
  assistant: 'Assistant',
  messages: 'Conversation',
  newMessages: 'Jump to latest',
  messageQueued: 'Will be sent next',
  image: (host: string) => `Image${host && ` from ${host}`} (not loaded)`,
  linkCarries: (start: string, characters: number) => `${start}… (${characters} characters)`,
  mailCopies: (addresses: string) => `Cc: ${addresses}`,
  mailHiddenCopies: (addresses: string) => `Bcc: ${addresses}`,
  mailFilled: 'with text filled in',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Not copied: the browser does not allow it here. Select the text instead.',
  lockedTool: (name: string) => `Locked tool: ${name}`,
  working: 'Working…',

  // Why it did what it did: the decision trace
  answerCached: 'Answered from the cache: nothing was sent',
  traceBegan: (protocol: string) => `A turn begins; calls are written as ${protocol}`,
  traceBeganPlain: 'A turn begins, without tools',
  traceWire: (wire: string) => `The request is made as ${wire}`,
  traceReadAs: (wire: string) => `The reply is read as ${wire}`,
  traceRefused: (protocol: string) => `The endpoint takes no tools of its own kind; going on with ${protocol}`,
  traceLearnt: (protocol: string) => `The model answers in ${protocol}; it is taught that from now on`,
  traceCall: (name: string, why: string) => `${name}: ${why}`,
  traceRuns: 'Runs now',
  traceClass: (errorType: string, message: string) => `Error of the class ${errorType}. ${message}`,
  traceTainted: (tool: string) => `${tool} brought outside content: from now on, what changes something asks`,
  traceLock: (tool: string) => `${tool} was chosen and not called; it is asked for once more`,
  traceTold: 'The model is told of the error as it is',
  traceGoOn: 'The model is told the results and goes on',
  traceImported: (messages: number) => `Another session was opened: ${messages} messages; nothing of it runs by itself`,
  traceEnded: (reason: string) =>
    new Map([
      ['stop', 'The turn is over: there is nothing left to do'],
      ['length', 'The turn is over: the answer reached its length limit'],
      ['cut', 'The turn is over: the answer was cut off'],
      ['cancelled', 'The turn is over: it was stopped'],
      ['error', 'The turn is over: it failed'],
      ['limit', 'The turn is over: it reached a limit'],
      ['budget', 'The turn is over: the budget is used up'],
      ['denied', 'The turn is over: it was declined'],
    ]).get(reason) ?? reason,

  // Kept conversations: after a reload, on the next page, in another tab
  answerLeft: 'The page was left before the answer was complete',
  elsewhere: 'This conversation is at work in another tab',
  handledElsewhere: 'Handled in another tab',
  storageMemory: 'The conversation goes on, but will be gone with this page',

  // The composer: words that confirm, tools and templates to choose, messages that wait
  confirmWords: 'confirm yes continue',
  stepNeedsButton: 'Waiting for confirmation: this step needs its button, a word is not enough',
  wordTooEarly: 'Look at the whole step first, then send the word again',
  wordNotTyped: 'A word that confirms has to be typed by hand',
  chooseTool: 'Choose a tool',
  noToolToChoose: 'No tool can be used now',
  filterTools: 'Filter tools',
  nothingFits: 'Nothing fits',
  removeLock: (name: string) => `Remove the lock: ${name}`,
  saidUnlocked: (name: string) => `No longer locked: ${name}`,
  templates: 'Templates',
  filterTemplates: 'Filter templates',
  lockGone: (name: string) => `${name} can no longer be used; nothing was sent`,
  removeQueued: (text: string) => `Do not send: ${text}`,
  sendResults: 'Send results',
  sendResultsHint: 'What has not run stays undone',
  stateIdle: 'Ready',
  stateToolResult: 'Reading the results…',
  stateDecide: 'Deciding how to go on…',
  stateToolCall: 'Checking the call…',

  // Plans and questions
  planMode: 'Step by step',

  // Errors and recovery
  toolRetrying: (attempt: number, of: number) => `Attempt ${attempt} of ${of}`,
  toolDisabled: (name: string) => `The tool “${name}” is not available for the rest of this turn. Answer without it.`,
  reasonFailed: (message: string) => `It ran and failed (${message}). It may have happened all the same`,
  noticeWhole: 'Streaming does not work here, so answers come in one piece',
  retryStreaming: 'Retry streaming',
  noticePlain: 'Tools could not be loaded; the assistant answers without them',
  noticeNoTools: 'The tools do not work at the moment; the assistant answers without them',
  offerWhole: 'Answer without streaming',
  offerPlain: 'Answer without tools',
  offline: 'You are offline. Your message is sent as soon as the connection is back',
  closeNotice: (text: string) => `Close: ${text}`,
  movedAway: 'This chat was moved into another document and cannot work there. Load its script in that document and add it there.',
  askedOften: (times: number) => `You have been asked ${times} times since your last message`,
  stopAsking: 'Stop this',

  // Spoken
  saidAnswer: (text: string) => `The assistant says: ${text}`,
  saidError: (message: string) => `Error: ${message}`,
};

/** What a conversation speaks unless it is told otherwise. Whole as soon as a part is loaded that says more; see `wholeEnglish`. */
export const english = firstEn as Texts;
