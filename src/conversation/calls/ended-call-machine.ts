/**
 * The actions of the user on a call that has ended: a successful call is undone, or a failed one runs again with other arguments, as a new
 * call. A call has such a machine only if an action was requested.
 */
import { assign, createActor, setup, type SnapshotFrom } from 'xstate';
import type { EditState } from '../chart/chart-context.js';

type EndedCallEvent =
  | { type: 'undo' | 'undo.done' | 'undo.failed' | 'undo.unsure' }
  /** Other arguments are checked, and are accepted or refused. */
  | { type: 'edit' | 'edit.taken' }
  | { type: 'edit.refused'; problem: EditState['problem'] }
  /** The turn that made the call again is over. */
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
    // The undo took too long. It may still take effect later.
    maybeUndone: { on: { undo: 'undoing', 'undo.done': 'undone' } },
    undone: { type: 'final' },
    checking: {
      on: {
        'edit.refused': { target: 'over', actions: 'answer the edit' },
        'edit.taken': { target: 'repeating', actions: 'answer the edit' },
      },
    },
    // The turn of the new call waits or runs.
    repeating: { on: { repeated: 'over', 'edit.refused': { target: 'over', actions: 'answer the edit' } } },
  },
});

type State = SnapshotFrom<typeof endedCallMachine>['value'];

export interface EndedCall {
  readonly state: State;
  readonly edit: EditState;
  send(event: EndedCallEvent): void;
}

/** Creates the machines of ended calls, by request id. `find` returns only those that were `open`ed. */
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
