/** Derives the phase of a conversation and its activities from the state of its chart. */
import type { Actor, SnapshotFrom } from 'xstate';
import type { Activity, Phase } from '../../model/snapshot.js';
import type { conversationMachine } from './conversation-machine.js';

type ChartSnapshot = SnapshotFrom<typeof conversationMachine>;
type ChartState = ChartSnapshot['value'];

export const activities: readonly Activity[] = ['streaming', 'parsing', 'awaitingApproval', 'executing', 'retrying', 'summarising'];

/** Returns the activities within the phase. */
export const activitiesIn = (snapshot: ChartSnapshot): Activity[] => activities.filter((name) => snapshot.hasTag(name));

export function phaseOf({ talk }: ChartState): Phase {
  if (talk === 'idle') return 'idle';
  const { round, reply, work } = talk.turn;
  if (work === 'results') return 'tool_result';
  if (work === 'deciding') return 'decide';
  if (typeof work === 'object') return 'tool_call';
  return round === 'later' || reply === 'closing' ? 'respond' : 'plan';
}

export interface PhaseChange {
  state: Phase;
  previous: Phase;
}

/** Calls `changed` for each change of the phase, before the chart's other events of the same step. Subscribe it before other listeners. */
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
