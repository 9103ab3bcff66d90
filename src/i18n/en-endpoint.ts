/**
 * English texts of errors that only an endpoint or a local model reports. They come with the code that reads such an error, because a visit
 * without one does not need them. Errors of the connection are in `en-first.ts`: nothing can be loaded without one.
 */
import { firstEn } from './en-first.js';

export const endpointEn = {
  unauthorised: 'Please sign in and try again',
  forbidden: 'This site isn’t allowed to use the assistant',
  endpointNotFound: 'The assistant’s address was not found',
  tooLong: 'The conversation is too long for the server',
  tooManyRequests: 'Too many requests, please try again later',
  tryAgainIn: (seconds: number) => `Try again in ${seconds} s`,
  serverError: 'Server error',
  notSetUp: 'The assistant is not set up yet',
  tellOwner: 'Please tell the site owner. Trying again won’t help.',
  modelAway: 'The assistant cannot answer right now',
  modelSilent: 'The assistant has stopped answering',
  tryLater: 'Please try again in a moment',
  goOnAdvice: 'The text so far is saved. Ask again for the rest.',
  badRequest: 'The server did not accept the request',
  redirected: 'The server tried to redirect the request, which is not allowed',
  noLocalModel: 'This browser has no built-in model that this page can use',
  needsGesture: 'The browser has to download its model first: press Retry to start',
  needsDownload: (megabytes: string) => `This page’s model is not on this device yet (${megabytes} MB). Press Retry to download it`,
  noRoom: (megabytes: string) => `This device has no room for this page’s model (${megabytes} MB)`,
  tooLongForModel: 'The conversation is too long for this model',
  windowAdvice: (tokens: number) =>
    `Its limit is ${tokens} tokens. Start a new chat, or send less. For the site owner: register fewer tools, or serve the model with a larger window`,
  gateRefused: 'The server refused this step: it does not fit the conversation',
  gateUnanswered: 'The server refused this step: a tool call is still open',
  gateUnknownResult: 'The server refused this step: it has a result without a tool call',
  gateForgedCall: 'The server refused this step: it has a tool call that the assistant did not make',
  gateUnconfirmed: 'The server refused this step: a tool call was not confirmed',
  gateReplayed: 'The server refused this step: it was already answered',
  gateRounds: 'The server allows no more steps for this message',
  gateUnknownSession: 'The server no longer knows this conversation',
  gateAdvice: 'Send a new message to continue',
};

/** Adds these texts to the English catalog. Every lazy module that creates such an error calls this at its top. */
export function addEndpointTexts(): void {
  Object.assign(firstEn, endpointEn);
}
