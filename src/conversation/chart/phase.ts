/** The phase of a conversation, out of the state of its chart: seed 004's six. */
import type { Actor, SnapshotFrom } from 'xstate';
import type { Phase } from '../../model/snapshot.js';
import type { conversationMachine } from './conversation-machine.js';

type ChartState = SnapshotFrom<typeof conversationMachine>['value'];

export function phaseOf(state: ChartState): Phase {
  if (state === 'idle') return 'idle';
  const { round, reply, work } = state.turn;
  if (work === 'results') return 'tool_result';
  if (work === 'deciding') return 'decide';
  if (typeof work === 'object') return 'tool_call';
  return round === 'later' || reply === 'closing' ? 'respond' : 'plan';
}

export interface PhaseChange {
  state: Phase;
  previous: Phase;
}

/** Tells of each change of the phase, before anything else that the chart tells in the same step. Call it before others listen. */
export function watchPhase(chart: Actor<typeof conversationMachine>, changed: (change: PhaseChange) => void): void {
  let state = phaseOf(chart.getSnapshot().value);
  const look = () => {
    const previous = state;
    state = phaseOf(chart.getSnapshot().value);
    if (state !== previous) changed({ state, previous });
  };
  for (const type of ['call.waiting', 'call.settled', 'round.settled', 'turn.ended'] as const) chart.on(type, look);
  chart.subscribe(look);
}
