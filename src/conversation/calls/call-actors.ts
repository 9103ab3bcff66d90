/** The actors of `toolCallMachine`. Their code is loaded with the first call, because a chat without tools never needs it. */
import { load } from '../../base/load.js';
import { fromPromise } from 'xstate';
import type { Grants } from '../../tools/grant-rules.js';
import type { Chart, ConversationServices } from '../chart/services.js';
import type { CallRecords } from './call-services.js';
import type { createCallWork } from './tool-execution.js';
import type { AuthorizedCall } from './authorized-call.js';
import type { toolCallMachine } from '../chart/call-machine.js';
import { callSteps, lazyCall } from '../chart/lazy-call-steps.js';

export interface CallActors {
  machine: typeof toolCallMachine;
  grants: LazyPermissions;
}

/** The permissions that a user grants beyond one call. */
export interface LazyPermissions {
  /** Returns undefined before the first grant. */
  now(): Grants | undefined;
  open(): Promise<Grants>;
  /** Loads what the first call needs in advance. */
  ahead(): Promise<unknown>;
}

export function createCallActors(chart: () => Chart, services: ConversationServices, records: CallRecords): CallActors {
  const open = async () => {
    const [{ createCallWork }, { createEditing }] = await Promise.all([
      load(() => import('./tool-execution.js')),
      load(() => import('./editing.js')),
    ]);
    services.emit('editing', createEditing);
    return (opened = createCallWork(chart(), services, records));
  };
  let opened: ReturnType<typeof createCallWork> | undefined;
  let work: ReturnType<typeof open> | undefined;
  // If loading fails, this call ends as failed, and the next one tries again.
  const loadCallWork = () =>
    (work ??= open().catch((error: unknown) => {
      work = undefined;
      throw error;
    }));

  let now: Grants | undefined;
  services.on('grants', (grants) => {
    now = grants;
    grants.subscribe(() => {
      services.changed();
      services.emit('kept');
    });
  });

  const provided = () =>
    callSteps()?.machine.provide({
      actors: {
        check: fromPromise(async ({ input, signal }) =>
          (await loadCallWork()).check(input.request, input.proof, signal, input.edited, input.recovered),
        ),
        authorize: fromPromise(async ({ input, signal }) =>
          (await loadCallWork()).authorize(input.call, input.ticket as AuthorizedCall, input.remember, signal),
        ),
        dryRun: fromPromise(async ({ input, signal }) => {
          const ticket = input.ticket as AuthorizedCall;
          return (await (await loadCallWork()).dryRunOf(ticket.turn))?.again(input.call, ticket, input.why, signal);
        }),
        // Start at once: a stop between the message that the call has started and its start would be reported as one that came too late.
        execute: fromPromise(async ({ input, signal }) =>
          (opened ?? (await loadCallWork())).execute(input.call, input.ticket as AuthorizedCall, signal),
        ),
        record: fromPromise(async ({ input }) => (await loadCallWork()).record(input.call, input.result)),
      },
    });
  let machine: ReturnType<typeof provided>;
  return {
    machine: lazyCall(() => (machine ??= provided())),
    grants: { now: () => now, open: async () => (await loadCallWork()).openGrants(), ahead: loadCallWork },
  };
}
