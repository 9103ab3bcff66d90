/** English texts about calls: for cards, approvals and results, and for the model. Loaded with the first module that needs them. */
import { counted, firstEn } from './en-first.js';

export const callsEn = {
  // Cards
  runningTool: (name: string) => `Running tool: ${name}`,
  running: 'Running…',
  toolDone: (label: string) => `“${label}” is done`,
  errorLabel: 'Error:',
  parameters: 'Parameters:',
  argumentsLabel: 'Parameters:',
  queuedAt: (position: number) => `Queued (${position})`,
  cancelled: 'Cancelled',
  undone: 'Undone',
  youAllowed: 'You allowed this',
  youAllowedBefore: 'You allowed this earlier',
  youDeclined: 'You declined',
  undo: 'Undo',
  undoBack: 'Undo to here',
  undoing: 'Undoing…',
  undoFailed: 'This could not be undone',
  undoneByPerson: 'Afterwards the user undid this: it is as if it had not happened.',
  undoUnsure: 'This may have been undone',
  undoUnsureSays: 'Afterwards the user asked to undo this. It is not known whether it was undone.',
  noResults: 'No results',
  showRaw: 'Show raw output',
  couldNotRead: 'The assistant wrote a tool call that could not be read',
  tookMs: (ms: string) => `${ms} ms`,
  tookSeconds: (seconds: string) => `${seconds} s`,

  // Calls that could not be parsed, or are not executed
  tooManyCalls: (limit: number) =>
    `Not executed: at most ${limit} calls of one reply are read. Send this one and the ones after it in the next reply`,
  callUnread: 'The tool call could not be read, so nothing was done',
  malformedCall: (problem: string) => `This tool call could not be read (${problem}) and was not executed`,
  problemUnclosed: 'it was not finished',
  problemMissingName: 'the tool name is missing',
  problemBadJson: 'the JSON is not valid',
  problemBadShape: 'its shape is not allowed',
  problemMalformed: 'there is text where only markup is allowed; values that contain closing tags go into <![CDATA[ … ]]>',
  problemTooLarge: 'accumulator overflow: it is too large',
  problemMalformedVcp: 'a value has no end or contains markers of the format; such values go between 「始ESCAPE」 and 「末ESCAPE」',
  problemMisplaced: 'there is text where none is allowed',

  // Approval
  wantsTo: 'The assistant wants to:',
  allowThis: 'Allow this?',
  runThis: 'Run this?',
  allow: 'Allow',
  /** The specification fixes this label. */
  deny: 'Deny',
  decideAlone: 'Decide this one separately',
  decideLater: 'Decide later',
  riskQuery: 'Only reads',
  riskWrite: 'Makes changes',
  riskDanger: 'Cannot be undone',
  riskUndoable: 'Could do harm, but can be undone',
  riskUndeclared: 'Effect unknown',
  dont: 'Don’t',
  /** Precedes the host that a tool comes from. */
  toolFrom: 'Tool from:',
  /** The name of another host's tool in a sentence. */
  labelFrom: (label: string, host: string) => `${label} (${host})`,
  /** The accessible name of a button; it begins with the visible label. */
  actOn: (act: string, what: string) => `${act}: ${what}`,
  why: 'Why approval is needed:',
  moreLines: (count: number) => counted(count, 'more line'),
  moreParameters: (count: number) => counted(count, 'more parameter'),
  characters: (count: number) => counted(count, 'character'),
  hiddenCharacters: (count: number) => `${counted(count, 'hidden character')} made visible`,
  mixedScripts: (word: string, scripts: readonly string[]) =>
    `“${word}” mixes similar letters of different alphabets: ${scripts.join(', ')}`,
  scripts: { latin: 'Latin', cyrillic: 'Cyrillic', greek: 'Greek' },
  scrollToDecide: 'Read to the end to decide',
  factsAltered: 'Something, such as a page translation, changed this request. It is restored: please check it again',
  before: 'Before',
  after: 'After',
  added: 'New',
  removed: 'Removed',
  run: 'Run',
  skip: 'Skip',
  serviceSays: 'The service says:',

  // Reasons why a call runs, waits or was refused
  reasonTainted: (tool: string) => `Needs approval: the assistant just read untrusted content (${tool})`,
  reasonServed: (tool: string) => `Needs approval: the service just read untrusted content (${tool})`,
  reasonDescribed: (host: string) => `Needs approval: it may follow the description of a tool of ${host}`,
  reasonImported: 'Needs approval: it follows an imported conversation',
  reasonFailed: (message: string) => `It failed (${message}), but it may have gone through`,
  reasonPrivate: 'Needs approval: it contains a private value, and untrusted content or an untrusted tool is involved',
  reasonPolicy: 'Allowed by this page’s rules',
  reasonDanger: 'Needs approval: it could do harm',
  reasonUndeclared: 'Needs approval: the tool does not say what it does',
  reasonAlways: 'Needs approval: this page asks for every call',
  reasonUserRun: 'Ready to run',
  reasonGrant: 'Allowed by a permission you gave',
  reasonSuspicious: 'Needs approval: the call was written in an unusual way',
  reasonForeign: 'Needs approval: the call was written in the model’s own format',
  reasonLost: 'Needs approval: part of the answer was lost, so this may be incomplete',
  reasonUnproved: 'Needs approval: the answer may be incomplete',
  alreadyDone: 'Already done: not run again',
  alreadyDoneSays:
    'Already done: this call has succeeded since the last message of the user and was not run again. Call it again only if the user asks for it. Its result was:',
  reasonRehearsed: 'Needs approval: you review every step before any of them runs',
  effectUnknown: 'No preview available',
  reasonRecited: 'Needs approval: it repeats an example from the assistant’s instructions',
  reasonHostAsk: 'Needs approval: this page asks for it',
  reasonHostAllow: 'Allowed by this page',
  reasonHostDeny: 'Blocked by this page',
  reasonNobody: 'Not executed: no one can approve it here',
  reasonLocked: (name: string) => `Not executed: ${name} was chosen and must be called first`,
  callLocked: (name: string) => `Call the tool ${name} now, as the user has chosen.`,
  callAnnounced: 'Your last reply announced a tool call, but none arrived. Send the call now, or answer without it.',
  callThought:
    'Your last reply was only reasoning, and calls in reasoning are never run. Write the call outside of it, or answer without it.',
  reasonChain: 'Needs approval: it is a follow-up step',
  reasonQuoted: 'The assistant only showed this call',
  reasonDeniedBefore: 'You declined this earlier',
  reasonChangedBefore: 'You changed these values earlier',
  reasonUndoneBefore: 'You undid this earlier',
  reasonUnsure: 'This may have gone through already',
  reasonUnsureTool: 'Needs approval: an earlier call of this tool may have gone through',
  reasonDoneBefore: 'Needs approval: almost the same was just done',
  reasonService: 'Needs approval: the service asks for it',

  // Permissions for more than one call
  grantWhat: 'You allow:',
  grantOnce: 'Just this once',
  grantExactly: (tool: string, conditions: string) => `${tool} with exactly ${conditions}`,
  grantOnly: (tool: string, conditions: string) => `${tool} with ${conditions} and nothing else`,
  grantOpen: (tool: string, conditions: string) => `${tool} with ${conditions}, any other parameters`,
  grantBare: (tool: string) => `${tool} without parameters`,
  grantEvery: (tool: string) => `Every call of ${tool}`,
  grantWithLimits: (what: string, limits: string) => `${what}: ${limits}`,
  grantComma: ', ',
  grantAnd: ' and ',
  grantEquals: (name: string, value: string) => `${name} = ${value}`,
  grantOneOf: (name: string, values: string) => `${name} one of ${values}`,
  grantBetween: (name: string, min: string, max: string) => `${name} up to ${max} (not below ${min})`,
  grantUpTo: (name: string, max: string) => `${name} up to ${max}`,
  grantAtLeast: (name: string, min: string) => `${name} not below ${min}`,
  grantAny: (name: string) => `any ${name}`,
  grantTimes: (times: number) => (times === 1 ? 'once more' : `${times} more times`),
  grantToday: 'today',
  grantUntil: (moment: string) => `until ${moment}`,
  grantSession: 'in this session',
  grantAlways: 'always, also after this session',
  grants: 'Permissions',
  revoke: 'Revoke',

  // Editing: the user changes the arguments of a call, or runs a failed one again
  edit: 'Edit',
  runEdited: 'Run with changes',
  changedByYou: 'You changed:',
  required: 'required',
  previewFailed: 'No preview of the changes available',
  moreChanges: (count: number) => `${counted(count, 'more change')} not shown`,
  reasonEdited: 'Needs approval: you changed the parameters',
  runAgainOf: 'Runs the failed action again, with your parameters',
  openDialog: 'Open in dialog',
  argumentsEdited: (json: string) => `The user changed the arguments to: ${json}`,
  argumentsRunAgain: (json: string) => `The user ran this call again, with the arguments: ${json}`,

  // Results for the model and the card
  toolNotFound: (name: string, available: string) => `There is no tool named “${name}”. Available tools: ${available}`,
  toolGone: (name: string) => `The tool “${name}” was removed or replaced before it could run`,
  toolForbidden: (name: string) => `The tool “${name}” is not permitted here`,
  missingParameter: (name: string) => `Missing parameter: ${name}`,
  invalidParameter: (name: string, expected: string) => `Invalid parameter ${name}: expected ${expected}`,
  unknownParameter: (name: string) => `Unknown parameter: ${name}`,
  expectedObject: 'an object, as JSON',
  expectedDepth: (levels: number) => `at most ${levels} levels of nesting`,
  expectedShorter: (characters: number) => `Text of more than ${characters} characters is not compared with this form: send less`,
  expectedFewer: (limit: number) => `at most ${limit} values in all. Send them in several calls`,
  expectedLess: 'less at once: this is more than can be checked. Send it in several calls',
  expectedOther: 'a value this tool accepts',
  toolCancelled: 'Cancelled before it finished. It may have gone through',
  noticeNoTools: 'Tools do not work at the moment; the assistant answers without them',
  toolAway: 'This is unavailable right now',
  toolTimeout: (ms: number) => `No answer within ${Math.round(ms / 100) / 10} s. It may have gone through`,
  serviceAllowed: 'Allowed; the service continues',
  serviceRuns: 'The service is running this',
  truncated: (characters: number) => `… (${characters} more characters)`,
  answerNow: 'No more tools can be used for this message. Answer now with what there is, and say what is left to do.',
  writeCallsLikeThis: (example: string) => `Write tool calls like this:\n${example}`,
  toolAmbiguous: (name: string, candidates: string) => `Several tools have a method “${name}”. Use the whole name: ${candidates}`,

  // Saved conversations: after a reload, on the next page, in another tab
  reasonRestored: 'Needs approval again: you left or reloaded the page',
  notRecorded: 'Not executed: this browser could not record it, so it could happen twice',

  // The composer: confirmation words, tools and templates to choose, queued messages
  reasonUnconfirmed: (words: string) =>
    `Not executed: the user has not confirmed this step. Say what it will do and wait for a confirmation word (${words})`,

  // Plans and questions
  planStepTooEarly: (titles: string) => `Not executed: in the plan this step comes after “${titles}”, which is not done yet`,
  planStepLost: (titles: string) => `Not executed: in the plan this step depends on “${titles}”, which failed, so it is skipped`,

  // Errors and recovery
  standInSays: (name: string) => `${name} was used instead and answered:`,
  standsInFor: (name: string) => `Used instead of ${name}, which could not be reached`,
  runAgain: 'Run it again?',
  runAgainButton: 'Run again',
  leaveIt: 'Leave as is',
  adviceStillAtWork: (seconds: number) => `It was told to stop but is still running. Other actions that need it wait up to ${seconds} s.`,
  waitsForTool: (label: string) => `Waiting for “${label}” to stop`,
  waitsForOthers: (resource: string) => `Waiting for another chat or tab to finish with “${resource}”`,

  // Memory
  remembered: (count: number) => `Memory (${count})`,

  // Screen reader announcements
  saidAsks: (sentence: string) => `The assistant asks for your approval: ${sentence}`,
  saidFinished: (label: string) => `${label}: finished`,
  saidFailed: (label: string, message: string) => `${label}: failed. ${message}`,

  // Rendered text
  notes: 'Notes',

  // Results of calls
  entries: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
  yes: 'Yes',
  no: 'No',

  // The menu
  parallel: 'Run actions in parallel',
  notation: 'Tool-call format',

  // More of the composer
  model: 'Model',
  listening: 'Listening. Press again to stop',
};

/** Adds the texts about calls to the English catalog. Every lazy module that uses them calls this at its top; see `fullEnglish`. */
export function addCallTexts(): void {
  Object.assign(firstEn, callsEn);
}
