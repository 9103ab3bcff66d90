/** Both statecharts as others may take them: to draw, to test, to build on. */
import { wholeChart } from './call-steps.js';
import { conversationMachine as conversation } from './conversation-machine.js';
import { toolCallMachine as call } from './call-machine.js';

wholeChart();

/**
 * A machine of XState 5, to be handed to its `createActor`. Its own type stays inside: declarations of XState do not compile under
 * `exactOptionalPropertyTypes` where a page also checks the libraries it takes.
 */
export interface Statechart {
  readonly id: string;
  /** States, transitions and the names of actions, guards and actors. */
  readonly config: object;
}

export const conversationMachine: Statechart = conversation;
export const toolCallMachine: Statechart = call;
