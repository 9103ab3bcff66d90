/**
 * The English texts that an open panel may need before it has loaded anything else: the frame, errors, and a plain chat. The rest is in
 * `en.ts`.
 */
import { launcherEn } from './launcher.js';

/** Returns a count with its noun: `1 row`, `2 rows`. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const firstEn = {
  ...launcherEn,
  expand: 'Expand',
  shrink: 'Collapse',
  loadFailed: 'Part of the assistant could not be loaded',
  partMissing: 'Part of the assistant could not be loaded. Reload the page to continue.',
  retry: 'Retry',

  // Cards
  readingCall: 'Reading the tool call…',
  runningAnyTool: 'Running tool…',
  toolFinished: 'Tool finished',
  toolFailed: 'Tool failed',
  queued: 'Queued',
  declined: 'The user declined this action',
  interrupted: 'Interrupted. It may have gone through',
  cannotUndo: 'Nothing to undo here',
  showDetails: 'Details',
  showAll: 'Show all',
  showLess: 'Show less',

  // Approval
  approve: 'Allow',
  replyToContinue: 'Reply with a confirmation word to continue',
  waitingForConfirmation: 'Waiting for confirmation',
  cannotAskHidden: 'The page hides this request, so you can’t decide here',
  cannotAskFramed: 'This page is embedded in another site, so nothing can be approved here',

  // Reasons why a call runs, waits or was refused
  reasonPerson: 'Allowed by you',
  reasonVeto: 'Blocked by this page',
  lockedNotUsed: (name: string) => `The assistant did not use ${name}`,
  lockedAdvice: 'Be more specific, or send without this tool',

  // Results for the model and the card
  notExecuted: 'Not executed',
  toolMissing: 'This is not available here',
  needsFacade: (method: string) =>
    `The page’s method “${method}” takes positional arguments, so a tool call cannot use it. It needs a facade: a method that takes one object with named parameters`,

  // Errors
  cannotReach: 'Cannot reach the server',
  timedOut: 'The request timed out, please try again',
  timeoutAdvice:
    'The server got the message but has not started to answer. For the site owner: a slow model needs a larger “request-timeout”',
  connectionLost: 'Connection lost',
  checkNetwork: 'Check your network connection',
  checkEndpoint: 'The endpoint may not allow this site, or its address may be wrong',
  badResponse: 'The server’s answer could not be read',
  bodyTaken: 'Another script on this page has read the server’s answer before the assistant could',
  bodyTakenAdvice: 'For the developers of this page: a fetch wrapper must read response.clone() and return the response unread',
  codeFailed: 'An error in the assistant, or in a script of this page, stopped the answer',
  codeAdvice: 'For the developers of this page: the browser console shows the error',
  tooLarge: 'The server’s answer is larger than the limit',
  endpointError: 'The assistant reported an error',
  contentFilter: 'The model’s provider blocked the answer',
  limitReached: (rounds: number) => `Stopped: step limit reached (${rounds})`,
  unreadableReached: 'Stopped: tool calls could not be read, twice in a row',
  fruitlessReached: 'Stopped: none of the last tool calls could be run',
  repeatReached: 'Stopped: the assistant kept asking for the same thing',
  noEndpoint: 'No endpoint is set',
  error: 'Something went wrong',
  cancel: 'Cancel',
  close: 'Close',
  help: 'Help',
  retryingIn: (seconds: number, attempt: number, of: number) => `Retrying in ${seconds} s (${attempt}/${of})`,
  reconnecting: (attempt: number, of: number) => `Reconnecting (${attempt}/${of})`,
  answerCut: 'The answer was cut off',
  noAnswer: 'The assistant sent no answer',
  onlyReasoning: 'The assistant sent no answer, only its reasoning',
  noCall: 'The assistant announced an action, but did not request it',
  answerIncomplete: 'Part of this answer was lost on the way',
  answerStopped: 'Stopped',
  answerTooLong: 'The answer reached its length limit',
  callTooLong: 'The answer reached its length limit during an action, which was not run',
  continueAnswer: 'Continue',
  allowLocalNetwork:
    'Allow this site to reach this computer or network in the browser’s site settings. The model server has to allow this site, too (OLLAMA_ORIGINS in Ollama, the CORS switch elsewhere)',
  budgetReached: (tokens: number) => `This session has used its budget of ${tokens} tokens; nothing was sent`,
  budgetAdvice: 'Start a new chat, or ask the site owner for more',

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
  asksBefore: 'I ask before I change anything',
  asksBeforeHarm: 'I ask before anything that could do harm',
  you: 'You',
  assistant: 'Assistant',
  messages: 'Conversation',
  newMessages: 'Jump to latest',
  messageQueued: 'Will be sent next',
  image: (host: string) => `Image${host && ` from ${host}`} (not loaded)`,
  linkCarries: (start: string, characters: number) => `${start}… (${characters} characters)`,
  mailCopies: (addresses: string) => `Cc: ${addresses}`,
  mailHiddenCopies: (addresses: string) => `Bcc: ${addresses}`,
  mailFilled: 'with prefilled text',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Not copied: the browser does not allow it here. Select the text instead.',
  lockedTool: (name: string) => `Locked tool: ${name}`,
  working: 'Working…',

  // The decision trace
  answerCached: 'Answered from the cache: nothing was sent',
  traceBegan: (protocol: string) => `A turn begins; calls are written as ${protocol}`,
  traceBeganPlain: 'A turn begins, without tools',
  traceWire: (wire: string) => `The request is made as ${wire}`,
  traceReadAs: (wire: string) => `The reply is read as ${wire}`,
  traceRefused: (protocol: string) => `The endpoint does not accept native tools; continuing with ${protocol}`,
  traceLearnt: (protocol: string) => `The model answers in ${protocol}; prompts use it from now on`,
  traceCall: (name: string, why: string) => `${name}: ${why}`,
  traceRuns: 'Runs now',
  traceClass: (errorType: string, message: string) => `Error type ${errorType}. ${message}`,
  traceTainted: (tool: string) => `${tool} read untrusted content: changes need approval from now on`,
  traceLock: (tool: string) => `${tool} was chosen but not called; asking once more`,
  traceTold: 'The model gets the error as is',
  traceGoOn: 'The model gets the results and continues',
  traceSumUp: 'Step limit reached: the model is asked to answer with what it has',
  traceAsksPerson: 'The user is asked to continue or stop',
  traceImported: (messages: number) => `Another session was opened (messages: ${messages}); nothing in it runs by itself`,
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

  // Saved conversations: after a reload, on the next page, in another tab
  answerLeft: 'You left the page before the answer was complete',
  elsewhere: 'This conversation is active in another tab',
  handledElsewhere: 'Handled in another tab',
  storageMemory: 'You can continue, but this conversation is not saved',

  // The composer: confirmation words, tools and templates to choose, queued messages
  confirmWords: 'confirm yes continue',
  stepNeedsButton: 'Waiting for confirmation: this step needs its button, not a word',
  wordTooEarly: 'Review the whole step first, then send the word again',
  wordNotTyped: 'Type the confirmation word yourself',
  chooseTool: 'Choose a tool',
  templates: 'Templates',
  menu: 'Menu',
  newChat: 'New chat',
  newChatBegun: 'New chat started',
  history: 'History',
  regenerate: 'Regenerate',
  editMessage: 'Edit message',
  attach: 'Attach image',
  voice: 'Use voice input',
  removeQueued: (text: string) => `Don’t send: ${text}`,
  sendResults: 'Send results',
  sendResultsHint: 'Calls that have not run are skipped',
  stateIdle: 'Ready',
  stateToolResult: 'Reading the results…',
  stateDecide: 'Deciding what to do next…',
  stateToolCall: 'Checking the call…',

  // Plans and questions
  planMode: 'Step by step',

  // Errors and recovery
  toolRetrying: (attempt: number, of: number) => `Attempt ${attempt} of ${of}`,
  toolDisabled: (name: string) => `The tool “${name}” is not available for the rest of this turn. Answer without it.`,
  noticeWhole: 'Streaming does not work here, so answers appear all at once',
  retryStreaming: 'Retry streaming',
  noticePlain: 'Tools could not be loaded; the assistant answers without them',
  offerWhole: 'Answer without streaming',
  offerPlain: 'Answer without tools',
  offline: 'You are offline. Your message will be sent when you are back online',
  closeNotice: (text: string) => `Close: ${text}`,
  movedAway: 'This chat was moved into another document and cannot work there. Load its script there, then add it again.',
  askedOften: (times: number) => `You have been asked ${times} times since your last message`,
  stopAsking: 'Stop here',

  // Screen reader announcements
  saidAnswer: (text: string) => `The assistant says: ${text}`,
  saidError: (message: string) => `Error: ${message}`,
};
