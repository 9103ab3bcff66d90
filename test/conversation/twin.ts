/**
 * A twin of a chart for model-based tests: the same states and transitions, made from the production chart's own config, but what its
 * actors would answer and its clocks would ring is an event that a test can send.
 */
import { StateMachine, type AnyStateMachine, type AnyStateNode, type InspectionEvent } from 'xstate';

type Node = Record<string, unknown> & { states?: Record<string, Node> };
type Transitions = Record<string, unknown>;

/** `done:check` for the answer of the actor `check`, `error:check` for its failure. Both carry what an actor's own event would. */
export const answered = (id: string, output?: unknown) => ({ type: `done:${id}`, output });
export const failedActor = (id: string) => ({ type: `error:${id}`, error: new Error(id) });
/** `after:until the next attempt`: that delay is over. */
export const elapsed = (delay: string) => ({ type: `after:${delay}` });

export function twinOf<Machine extends AnyStateMachine>(machine: Machine): Machine {
  return new StateMachine(twinNode(machine.config as Node) as never, machine.implementations as never) as never;
}

function twinNode({ invoke, after, states, ...node }: Node): Node {
  const on: Transitions = { ...(node['on'] as Transitions | undefined) };
  for (const { id, onDone, onError } of [invoke ?? []].flat() as { id: string; onDone?: unknown; onError?: unknown }[]) {
    if (onDone) on[`done:${id}`] = onDone;
    if (onError) on[`error:${id}`] = onError;
  }
  for (const [delay, transition] of Object.entries((after ?? {}) as Transitions)) on[`after:${delay}`] = transition;
  return {
    ...node,
    ...(Object.keys(on).length > 0 && { on }),
    ...(states && { states: Object.fromEntries(Object.entries(states).map(([key, state]) => [key, twinNode(state)])) }),
  };
}

/** Every state and every transition of a chart, one line each; the events of actors and clocks by the names they have in a twin. */
export function outline(machine: AnyStateMachine): string[] {
  const lines: string[] = [];
  const visit = (node: AnyStateNode) => {
    const initial = node.initial?.target?.map(({ id }) => id).join() ?? '';
    lines.push(`${node.id} (${node.type}${node.tags.length > 0 ? `, ${node.tags.join(' ')}` : ''}) → ${initial}`);
    for (const { eventType, guard, target, actions, reenter } of [...node.transitions.values()].flat().concat(node.always ?? []))
      lines.push(
        [
          `${node.id}: ${twinName(eventType)}`,
          `[${guardName(guard)}]`,
          `→ ${target?.map(({ id }) => id).join() ?? 'itself'}`,
          `/ ${actions.map(actionName).join(', ')}`,
          reenter ? '(again)' : '',
        ].join(' '),
      );
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return lines.sort();
}

/** Every transition of a chart, as `noting` writes those that were taken. */
export function edgesOf(machine: AnyStateMachine): string[] {
  const nodes = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodes)];
  return nodes(machine.root).flatMap((node) =>
    [...node.transitions.values()]
      .flat()
      .concat(node.always ?? [])
      .map(edgeName),
  );
}

/** Hears which transitions an actor takes. */
export const noting = (taken: Set<string>) => (event: InspectionEvent) => {
  if (event.type === '@xstate.microstep') for (const one of event._transitions) taken.add(edgeName(one as Edge));
};

type Edge = Pick<AnyStateNode['transitions'] extends Map<string, (infer One)[]> ? One : never, 'source' | 'eventType' | 'guard' | 'target'>;

const edgeName = ({ source, eventType, guard, target }: Edge): string =>
  `${source.id}: ${twinName(eventType)} [${guardName(guard)}] → ${target?.map(({ id }) => id).join() ?? 'itself'}`;

function twinName(type: string): string {
  const [, kind, what, ...rest] = type.split('.');
  if (!type.startsWith('xstate.')) return type;
  return kind === 'after' ? `after:${what ?? ''}` : `${kind ?? ''}:${rest.join('.')}`;
}

function guardName(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'object' && guard !== null && 'type' in guard) return String(guard.type);
  if (typeof guard !== 'function') return String(guard);
  // What `and` and `not` of the library give.
  return [guard.name || 'function', ...('guards' in guard ? (guard.guards as unknown[]).map(guardName) : [])].join(' ');
}

const actionName = (action: unknown): string =>
  typeof action === 'object' && action !== null && 'type' in action ? String(action.type) : typeof action;
