/**
 * The role of a tab in a conversation that several tabs may show. One tab leads: it alone acts and writes. The tab that gets the lock first
 * loads what is stored. Until that is done, it shows what it showed before, or the end of what is stored. A tab that gives up the lead on
 * request writes first, and does not act meanwhile.
 */
import { createActor, setup } from 'xstate';

export type TabEvent =
  /** This tab has the lock; what is stored has been loaded. */
  | { type: 'lead.won' | 'taken.up' }
  /** The conversation is long: its end is shown, and the rest has not been read yet. */
  | { type: 'end.read' }
  /** Another tab has the lock. */
  | { type: 'lead.elsewhere' | 'lead.lost' }
  /** Another tab wants to lead: everything is written first. */
  | { type: 'yield' | 'yield.over' }
  /** The page or its element is left, or comes back. */
  | { type: 'leave' | 'return' };

export const tabMachine = setup({ types: { events: {} as TabEvent } }).createMachine({
  id: 'tab',
  initial: 'joining',
  states: {
    joining: {
      initial: 'asking',
      states: {
        asking: { on: { 'lead.won': 'takingUp' } },
        takingUp: { on: { 'end.read': 'endShown' } },
        endShown: {},
      },
      on: { 'taken.up': 'leading', 'lead.elsewhere': 'following', 'lead.lost': 'following', leave: 'away' },
    },
    following: {
      initial: 'asking',
      states: {
        asking: { on: { 'lead.won': 'takingUp' } },
        takingUp: {},
      },
      on: { 'taken.up': 'leading', 'lead.lost': '.asking', leave: 'away' },
    },
    leading: {
      initial: 'acting',
      states: {
        acting: { on: { yield: 'yielding' } },
        yielding: { on: { 'yield.over': 'acting' } },
      },
      on: { 'lead.lost': 'following', leave: 'away' },
    },
    away: { on: { return: 'joining' } },
  },
});

export type TabRole = 'joining' | 'leading' | 'following' | 'away';

export interface TabState {
  is(role: TabRole): boolean;
  /** True if this tab leads and is not about to give up the lead. */
  readonly acts: boolean;
  readonly yields: boolean;
  /** True if this tab only shows the end of what is stored. */
  readonly showsEnd: boolean;
  send(type: TabEvent['type']): void;
}

/** Creates the state of a tab that has just begun to join. */
export function createTabState(): TabState {
  const actor = createActor(tabMachine).start();
  const state = () => actor.getSnapshot();
  return {
    is: (role) => state().matches(role),
    get acts() {
      return state().matches({ leading: 'acting' });
    },
    get yields() {
      return state().matches({ leading: 'yielding' });
    },
    get showsEnd() {
      return state().matches({ joining: 'endShown' });
    },
    send: (type) => actor.send({ type }),
  };
}
