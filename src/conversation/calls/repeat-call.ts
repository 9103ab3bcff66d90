/** Runs a failed call again with arguments that the user wrote: they are checked first, and then a new call asks. */
import { load } from '../../base/load.js';
import { createId } from '../../base/ids.js';
import { fullEnglish } from '../../i18n/en.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { CallRecord, ParsedCall } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import { createEndedCalls, type EndedCall } from './ended-call-machine.js';

fullEnglish();

export interface FailedCalls {
  toolOf(record: CallRecord): ToolDefinition | undefined;
  canRunAgain(record: CallRecord): boolean;
  repetitionOf(record: CallRecord): CallRecord | undefined;
}

export interface RepeatedCalls {
  find(requestId: string): EndedCall | undefined;
  edit(record: CallRecord, args: Readonly<Record<string, unknown>>): Promise<void>;
}

/** @param runAgain puts a turn of its own into the queue, which makes this call */
export function createRepeatedCalls(
  { emit, registry, settings, log }: ConversationServices,
  { toolOf, canRunAgain, repetitionOf }: FailedCalls,
  runAgain: (request: ParsedCall) => Promise<unknown>,
): RepeatedCalls {
  const { open, find } = createEndedCalls(() => emit('cards'));
  return {
    find,
    async edit(record, args) {
      const { requestId, toolName, protocol, flags } = record;
      const call = open(requestId);
      if (call.state !== 'over') return;
      const now = settings();
      const refuse = (message: string, parameter?: string) => {
        call.send({ type: 'edit.refused', problem: { message, ...(parameter !== undefined && { parameter }) } });
      };
      call.send({ type: 'edit' });
      try {
        const { prepareCall, prepareDepsOf, coercionOfEdits } = await load(() => import('./tool-execution.js')); // loaded with the call
        const dependencies = { ...prepareDepsOf({ protocol }, now, registry, log), coercion: coercionOfEdits(toolOf(record)) };
        const prepared = await prepareCall({ requestId, toolName, args, flags }, dependencies);
        if (prepared.type === 'refused') return refuse(prepared.result.message, prepared.parameter);
        if (!canRunAgain(record) || repetitionOf(record)) return refuse(now.texts.cannotRunAgain);
        call.send({ type: 'edit.taken' });
        await runAgain({
          ...{ requestId: createId('call'), toolName, arguments: args, raw: '', protocol, repeats: requestId },
          // The first check has recorded there whether the end of the call was proved.
          flags: record.call?.flags ?? flags,
        });
      } catch (error) {
        log.error('edit.failed', 'A change of arguments could not be checked', { toolName, requestId }, { error });
        refuse(now.texts.toolFailed);
      } finally {
        call.send({ type: 'repeated' });
      }
    },
  };
}
