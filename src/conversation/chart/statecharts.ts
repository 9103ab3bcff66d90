/** Exports both statecharts for others to draw, test or build on. */
import { registerCallSteps } from './call-steps.js';
import { conversationMachine as conversation } from './conversation-machine.js';
import { toolCallMachine as call } from './call-machine.js';

registerCallSteps();

/**
 * An XState 5 machine for `createActor`. Its own type is not exported: XState's declarations do not compile under
 * `exactOptionalPropertyTypes` if a page also type-checks its dependencies.
 */
export interface Statechart {
  readonly id: string;
  /** States, transitions and the names of actions, guards and actors. */
  readonly config: object;
}

export const conversationMachine: Statechart = conversation;
export const toolCallMachine: Statechart = call;
