/** Calls that a service knows by id, numbered in the order they appear: the pieces of one call share its `index`. */
import type { WireEvent } from './wire.js';

type ToolEvent = WireEvent & { type: 'tool' };

export interface ServiceCall {
  id: string;
  /** The latest that was said. */
  name: string | undefined;
  /** The service's own to answer: it has done so, or will. */
  settled: boolean;
  /** A piece of it. Id and name stand in each, for a piece may be the first that somebody looks at. */
  piece(more?: Partial<Omit<ToolEvent, 'type' | 'index' | 'id' | 'name'>>): ToolEvent;
}

export interface ToolIndexes {
  /** The call with this id, begun if it is new. */
  call(id: string, name?: string): ServiceCall;
  all(): Iterable<ServiceCall>;
}

export function createToolIndexes(): ToolIndexes {
  const calls = new Map<string, ServiceCall>();
  return {
    call(id, name) {
      let call = calls.get(id);
      if (!call) {
        const index = calls.size;
        const begun: ServiceCall = {
          id,
          name,
          settled: false,
          piece: (more) => ({ type: 'tool', index, id, ...(begun.name !== undefined && { name: begun.name }), ...more }),
        };
        calls.set(id, (call = begun));
      }
      call.name ??= name;
      return call;
    },
    all: () => calls.values(),
  };
}

/** What a service's tool gave back, as text. */
export function serviceResultText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
