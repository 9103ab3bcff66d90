/** The real actors of `toolCallMachine`. What they do is loaded with the first call: a chat without tools never needs it. */
import { fromPromise } from 'xstate';
import type { CallDependencies } from './tool-execution.js';
import type { Ticket } from './ticket.js';
import { toolCallMachine } from '../chart/call-machine.js';

export function createCallActors(dependencies: CallDependencies) {
  const load = () => import('./tool-execution.js').then(({ createCallWork }) => createCallWork(dependencies));
  let work: ReturnType<typeof load> | undefined;
  // A load that failed is tried again by the next call; this one ends as failed.
  const atWork = () =>
    (work ??= load().catch((error: unknown) => {
      work = undefined;
      throw error;
    }));

  dependencies.early(atWork);

  return toolCallMachine.provide({
    actors: {
      check: fromPromise(async ({ input, signal }) =>
        (await atWork()).check(input.request, input.proof, signal, input.edited, input.recovered),
      ),
      clear: fromPromise(async ({ input, signal }) => (await atWork()).clear(input.call, input.ticket as Ticket, input.remember, signal)),
      execute: fromPromise(async ({ input, signal }) => (await atWork()).execute(input.call, input.ticket as Ticket, signal)),
      record: fromPromise(async ({ input }) => (await atWork()).record(input.call, input.result)),
    },
  });
}
