/**
 * Holds the lazily loaded call actions of the chart. Code that can bring a first call waits for `loadCallSteps` or imports them directly.
 * Before that, there is no call to act on.
 */
import { enqueueActions, type AnyStateMachine } from 'xstate';
import { load } from '../../base/load.js';
import './captured-functions.js'; // imported statically, so that page scripts cannot replace the functions first
import type { toolCallMachine } from './call-machine.js';
import type * as fallback from './fallback-call.js';
import type * as decided from './apply-decision.js';
import type * as confirmation from './keyword-confirmation.js';

const names = [
  'begin manual turn',
  'hold call',
  'note broken call',
  'withdraw calls',
  'note served call',
  'release calls',
  'note change',
  'settle call',
  'start what is ready',
  'pass the decision on',
  'pass the grant on',
  'pass the edit on',
  'tell results',
  'close open calls',
  'withdraw consents',
  'note strangers',
  'note planning',
  'take the plan',
  'note what is wrong with the plan',
  'ask to begin',
  'restore',
  'begin undo',
  'undo call',
  'give up undo',
] as const;

type LazyStep = (typeof names)[number];

export interface CallSteps {
  readonly actions: Readonly<Record<LazyStep, unknown>>;
  readonly machine: typeof toolCallMachine;
  readonly decided: typeof decided;
  readonly confirmation: typeof confirmation;
  readonly fallback: typeof fallback;
}

let steps: CallSteps | undefined;

export const callSteps = (): CallSteps | undefined => steps;

export function setCallSteps(given: CallSteps): void {
  steps = given;
}

/** Loads the call actions. Resolves immediately if they are loaded. */
export async function loadCallSteps(): Promise<void> {
  if (!steps) await load(() => import('./call-steps.js'));
}

/** Actions of the chart by name. They do nothing until the call actions are loaded, because there are no calls before that. */
export const lazySteps = Object.fromEntries(
  names.map((name) => [
    name,
    enqueueActions(({ enqueue }) => {
      if (steps) enqueue(steps.actions[name] as never);
    }),
  ]),
) as unknown as Record<LazyStep, () => void>;

/** Returns a stand-in for the chart of a call, which is only used after that chart is loaded. */
export function lazyCall(machine: () => typeof toolCallMachine | undefined): typeof toolCallMachine {
  const loaded = () => machine() as AnyStateMachine;
  const logic: Pick<AnyStateMachine, 'transition' | 'getInitialSnapshot' | 'getPersistedSnapshot' | 'restoreSnapshot' | 'start'> = {
    transition: (...given) => loaded().transition(...given),
    getInitialSnapshot: (...given) => loaded().getInitialSnapshot(...given),
    getPersistedSnapshot: (...given) => loaded().getPersistedSnapshot(...given),
    restoreSnapshot: (...given) => loaded().restoreSnapshot(...given),
    start: (...given) => {
      loaded().start(...given);
    },
  };
  return logic as unknown as typeof toolCallMachine;
}
