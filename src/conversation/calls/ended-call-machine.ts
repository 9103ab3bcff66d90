/**
 * What a person does about a call that has ended: what one did is taken back, or one that failed runs once more with other arguments, as a call
 * of its own. Only what was asked for has such a chart.
 */
import { assign, createActor, setup, type SnapshotFrom } from 'xstate';
import type { EditState } from '../chart/chart-context.js';

type EndedCallEvent =
  | { type: 'undo' | 'undo.done' | 'undo.failed' | 'undo.unsure' }
  /** Other arguments: they are looked at, and do or do not fit. */
  | { type: 'edit' | 'edit.taken' }
  | { type: 'edit.refused'; problem: EditState['problem'] }
  /** The turn that made the call once more is over. */
  | { type: 'repeated' };

export const endedCallMachine = setup({
  types: { context: {} as { answered: number; problem?: EditState['problem'] | undefined }, events: {} as EndedCallEvent },
  actions: {
    'answer the edit': assign(({ context: { answered }, event }) => ({
      answered: answered + 1,
      problem: event.type === 'edit.refused' ? event.problem : undefined,
    })),
  },
}).createMachine({
  id: 'endedCall',
  context: { answered: 0 },
  initial: 'over',
  states: {
    over: { on: { undo: 'undoing', edit: 'checking' } },
    undoing: { on: { 'undo.done': 'undone', 'undo.failed': 'notUndone', 'undo.unsure': 'maybeUndone' } },
    notUndone: { on: { undo: 'undoing' } },
    // It took too long. Its effect may come later.
    maybeUndone: { on: { undo: 'undoing', 'undo.done': 'undone' } },
    undone: { type: 'final' },
    checking: {
      on: {
        'edit.refused': { target: 'over', actions: 'answer the edit' },
        'edit.taken': { target: 'repeating', actions: 'answer the edit' },
      },
    },
    // Its turn waits, or runs.
    repeating: { on: { repeated: 'over', 'edit.refused': { target: 'over', actions: 'answer the edit' } } },
  },
});

type State = SnapshotFrom<typeof endedCallMachine>['value'];

export interface EndedCall {
  readonly state: State;
  readonly edit: EditState;
  send(event: EndedCallEvent): void;
}

/** By request id; `find` gives only what somebody has `open`ed. */
export function createEndedCalls(changed: () => void) {
  const calls = new Map<string, EndedCall>();

  function open(requestId: string): EndedCall {
    const known = calls.get(requestId);
    if (known) return known;
    const actor = createActor(endedCallMachine).start();
    const call: EndedCall = {
      get state() {
        return actor.getSnapshot().value;
      },
      get edit() {
        const { value, context } = actor.getSnapshot();
        const { answered, problem } = context;
        return { answered, ...(problem && { problem }), ...(value === 'checking' && { checking: true as const }) };
      },
      send(event) {
        actor.send(event);
        changed();
      },
    };
    calls.set(requestId, call);
    return call;
  }
  return { open, find: (requestId: string) => calls.get(requestId) };
}
