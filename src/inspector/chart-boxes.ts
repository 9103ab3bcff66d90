/** States of a machine as nested boxes, and which of them are active. No DOM. */
import type { AnyStateNode } from 'xstate';

export interface StateBox {
  /** The path from the root, whatever id targets use for the state. */
  id: string;
  /** The state's own key. */
  key: string;
  isParallel: boolean;
  /** Names of the actors that the state invokes. */
  actors: readonly string[];
  states: readonly StateBox[];
}

export function boxOf(node: AnyStateNode): StateBox {
  return {
    ...{ id: [node.machine.id, ...node.path].join('.'), key: node.key, isParallel: node.type === 'parallel' },
    actors: node.invoke.map(({ src }) => (typeof src === 'string' ? src : '')).filter(Boolean),
    states: Object.values(node.states as Record<string, AnyStateNode>).map(boxOf),
  };
}

/** Returns the ids of the states in a state value, outermost first: `{ turn: 'reply' }` of `chat` is `chat.turn` and `chat.turn.reply`. */
export function activeStates(value: unknown, id: string): Set<string> {
  if (typeof value === 'string') return new Set([`${id}.${value}`]);
  return new Set(
    Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, inner]) => [
      `${id}.${key}`,
      ...activeStates(inner, `${id}.${key}`),
    ]),
  );
}

/** Returns the state of each call that has a running statechart. */
export function callStatesOf(children: object): { id: string; value: unknown }[] {
  return Object.entries(children as Record<string, { getSnapshot?(): { value?: unknown } } | undefined>).flatMap(([id, actor]) => {
    const value = actor?.getSnapshot?.().value;
    return value === undefined ? [] : [{ id, value }];
  });
}
