/** Numbers the calls that a service identifies by id, in order of appearance: the pieces of one call share its `index`. */
import type { WireEvent } from './wire.js';

type ToolEvent = WireEvent & { type: 'tool' };

export interface ServiceCall {
  id: string;
  /** The most recent name. */
  name: string | undefined;
  /** True if the service has answered the call itself, or will. */
  settled: boolean;
  /** Creates an event for a piece of the call. Each has the id and the name, because a consumer may start with any piece. */
  piece(more?: Partial<Omit<ToolEvent, 'type' | 'index' | 'id' | 'name'>>): ToolEvent;
}

export interface ToolIndexes {
  /** Returns the call with this id, creating it if it is new. */
  call(id: string, name?: string): ServiceCall;
  get(id: string): ServiceCall | undefined;
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
    get: (id) => calls.get(id),
    all: () => calls.values(),
  };
}

/** Returns the result of a service's tool as text. */
export function serviceResultText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
