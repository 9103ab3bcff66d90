/** States of a machine as boxes in boxes, and which of them are lit. No DOM. */
import type { AnyStateNode } from 'xstate';

export interface StateBox {
  /** Its way from the root, whatever it is called in targets. */
  id: string;
  /** Its own name. */
  key: string;
  isParallel: boolean;
  /** What it invokes. */
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

/** The ids of the states that a value names, outermost first: `{ turn: 'reply' }` of `chat` is `chat.turn` and `chat.turn.reply`. */
export function litBy(value: unknown, id: string): Set<string> {
  if (typeof value === 'string') return new Set([`${id}.${value}`]);
  return new Set(
    Object.entries((value ?? {}) as Record<string, unknown>).flatMap(([key, inner]) => [`${id}.${key}`, ...litBy(inner, `${id}.${key}`)]),
  );
}

/** Where each call is that has a chart of its own now. */
export function callStatesOf(children: object): { id: string; value: unknown }[] {
  return Object.entries(children as Record<string, { getSnapshot?(): { value?: unknown } } | undefined>).flatMap(([id, actor]) => {
    const value = actor?.getSnapshot?.().value;
    return value === undefined ? [] : [{ id, value }];
  });
}
