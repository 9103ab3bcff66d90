/** The production statecharts, and what their states, events and guards are called in a drawing. */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { conversationMachine } from '../src/conversation/chart/conversation-machine.js';
import { toolCallMachine } from '../src/conversation/chart/call-machine.js';
import { endedCallMachine } from '../src/conversation/calls/ended-call-machine.js';
import { tabMachine } from '../src/conversation/persistence/tab-machine.js';

/** The pages of `docs/` with charts, and the charts of each by the name in its markers. */
export const charts: Readonly<Record<string, readonly (readonly [name: string, machine: AnyStateMachine])[]>> = {
  'architecture.md': [['conversation', conversationMachine]],
  'statecharts.md': [
    ['tool call', toolCallMachine],
    ['ended call', endedCallMachine],
    ['tab', tabMachine],
  ],
};

export interface Row {
  event: string;
  guard: string;
  targets: AnyStateNode[];
}

/** What leads out of a state, in the order in which it is looked at. Staying where one is, with nothing heard, is nothing to draw. */
export function rowsOf(node: AnyStateNode): Row[] {
  return [...node.transitions.values()]
    .flat()
    .concat(node.always ?? [])
    .map(({ target = [], eventType, guard }) => ({
      event: eventName(eventType),
      guard: guard ? guardName(guard) : '',
      targets: target.filter((one) => one !== node || eventType !== ''),
    }))
    .filter(({ targets }) => targets.length > 0);
}

function eventName(type: string): string {
  if (type === '') return 'at once';
  if (type.startsWith('xstate.done.actor.')) return `${type.split('.')[3] ?? ''} done`;
  if (type.startsWith('xstate.error.actor.')) return `${type.split('.')[3] ?? ''} failed`;
  if (type.startsWith('xstate.after.')) return `after ${type.split('.')[2] ?? ''}`;
  return type;
}

function guardName(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  const { type, guards, stateValue, name } = guard as { type?: string; guards?: unknown[]; stateValue?: string; name: string };
  if (type !== undefined) return type;
  // What `and`, `not` and `stateIn` of the library give.
  if (guards) return name === 'not' ? `not: ${guardName(guards[0])}` : guards.map(guardName).join(', ');
  return stateValue === undefined ? 'by its answer' : `in ${stateValue.replace('#', '')}`;
}
