/** Turns that the request tests of all wires share (`fixtures/turns`). */
import type { TurnRequest } from '../../src/transports/wire.js';
import turns from '../fixtures/turns/turns.json' with { type: 'json' };

export const turn: TurnRequest = { messages: [{ role: 'user', text: '你好' }], system: 'Be brief.', maxTokens: 2000, stream: true };

export const PNG = 'data:image/png;base64,iVBORw0KGgo=';

/** A picture that comes with the message, one on the web, and something that is none. */
export const withPictures: TurnRequest = { ...turn, ...turns.withPictures };

/** Two calls in one reply and their results, the second failed, and what the user says then. */
export const withTools = { ...turn, ...turns.withTools } as TurnRequest;
