/**
 * Lets the user change arguments: those of a waiting call, and those of a failed one that is to run again. In both cases the call then asks
 * with its new effect. Nothing here allows a call.
 */
import { addCallTexts } from '../../i18n/en-calls.js';
import { load } from '../../base/load.js';
import type { CardEdit, Change } from '../../model/calls.js';
import { findIndexes } from '../../base/find-indexes.js';
import { deepFreeze, own } from '../../base/objects.js';
import { parametersOf } from '../../tools/schema.js';
import { HIDDEN } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { plainCopy } from '../../base/plain-copy.js';
import { callOf, mayHaveHappened } from '../chart/call-records.js';
import type { CallRecord, ParsedCall, EditState } from '../chart/chart-context.js';
import { NO_EDIT, sendEvent, type Chart, type EditsOf, type ConversationServices } from '../chart/services.js';
import { canRerun } from './strategies.js';
import type { RepeatedCalls } from './repeat-call.js';

addCallTexts();

const repeatsOf = ({ repeats }: CallRecord) => repeats;

/** @param runAgain puts a turn of its own into the queue, which makes this call */
export function createEditing(chart: Chart, services: ConversationServices, runAgain: (request: ParsedCall) => Promise<unknown>): EditsOf {
  const { on, emit, registry, settings, log } = services;
  const context = () => chart.getSnapshot().context;
  /** The tool of each call, as it was when the call was checked. */
  const tools = new Map<string, ToolDefinition>();
  /** The edits of failed calls. Those of waiting calls are in the chart. Loaded when the first failed call is to run again. */
  let again: RepeatedCalls | undefined;
  /** The states of edits by request id, for calls that could not run again because loading failed. */
  const troubles = new Map<string, EditState>();

  /** Returns the tool if it is still the one that the call was checked with. */
  function toolOf({ requestId }: CallRecord): ToolDefinition | undefined {
    const tool = tools.get(requestId);
    return tool && registry.get(tool.name) === tool ? tool : undefined;
  }

  /** Checks whether a call is offered again: it surely failed, or running it twice does no harm. */
  function canRunAgain(record: CallRecord): boolean {
    const { status, result, manual, served, approval } = record;
    if (status !== 'error' || manual || served || approval || result?.code === 'MALFORMED_CALL') return false;
    const tool = toolOf(record);
    return tool !== undefined && (canRerun(tool) || !mayHaveHappened(record));
  }

  /** Returns the newest call that runs this one again, unless it was denied or cancelled. */
  const repetitionOf = ({ requestId }: CallRecord): CallRecord | undefined => {
    const { calls } = context();
    const counts = ({ status }: CallRecord) => status !== 'denied' && status !== 'cancelled';
    return findIndexes(calls, repeatsOf, requestId)
      .map((at) => calls[at] as CallRecord)
      .findLast(counts);
  };

  async function tryAgain(record: CallRecord, args: Readonly<Record<string, unknown>>): Promise<void> {
    const { requestId } = record;
    try {
      const { createRepeatedCalls } = await load(() => import('./repeat-call.js'));
      again ??= createRepeatedCalls(services, { toolOf, canRunAgain, repetitionOf }, runAgain);
      await again.edit(record, args);
    } catch (error) {
      log.error('edit.failed', 'What runs a call again could not be loaded', { requestId }, { error });
      troubles.set(requestId, {
        answered: (troubles.get(requestId)?.answered ?? 0) + 1,
        problem: { message: settings().texts.toolFailed },
      });
      emit('cards');
    }
  }

  const isQueued = ({ requestId }: CallRecord) => again?.find(requestId)?.state === 'repeating';
  const editOf = ({ requestId }: CallRecord) => again?.find(requestId)?.edit ?? troubles.get(requestId);

  function stateOf(record: CallRecord): CardEdit | undefined {
    // A failed call that waits runs again as it was, or not at all.
    const waits = record.status === 'awaiting_approval' && !record.approval && !record.failed;
    if (!waits && (!canRunAgain(record) || repetitionOf(record) || isQueued(record))) return undefined;
    const tool = toolOf(record);
    if (!tool) return undefined;
    const schema = frozenSchema(tool);
    return {
      ...{ answered: 0, ...(waits ? record.edit : editOf(record)) },
      sensitive: tool.sensitive ?? false,
      ...(schema && { schema }),
    };
  }

  on('bound', ({ requestId, tool }) => void tools.set(requestId, tool));
  // Invalid arguments are reported on the card. If the call cannot be edited, nothing happens.
  on('edit', ({ requestId, digest, args }) => {
    const record = callOf(context(), requestId);
    if (!record) return;
    const wanted = deepFreeze(plainCopy(args));
    if (record.status === 'awaiting_approval') sendEvent(chart, { type: 'user.edit', requestId, digest, args: wanted });
    else if (canRunAgain(record)) void tryAgain(record, wanted);
  });

  return (record) => {
    const edit = stateOf(record);
    const repetition = repetitionOf(record);
    const isRepeated = repetition !== undefined || isQueued(record);
    if (!edit && !isRepeated && record.repeats === undefined && !record.original) return NO_EDIT;
    const failed = record.repeats === undefined ? undefined : callOf(context(), record.repeats);
    const original = record.original ?? (failed && (failed.call?.args ?? failed.params));
    const repeatedBy = repetition?.requestId ?? (isRepeated ? '' : undefined);
    return {
      ...(edit && { edit }),
      ...(original && record.call && { edited: changesOf(original, record.call.args, tools.get(record.requestId)?.sensitive) }),
      ...(record.repeats !== undefined && { repeats: record.repeats }),
      ...(repeatedBy !== undefined && { repeatedBy }),
      ...(repetition?.started && { repeated: true as const }),
    };
  };
}

const frozen = new WeakMap<ToolDefinition, CardEdit['schema'] & object>();

/** Returns a frozen copy of the schema. The elements pass it to other code, which must not be able to loosen the checks. */
function frozenSchema(tool: ToolDefinition): CardEdit['schema'] {
  const schema = parametersOf(tool);
  if (!schema) return undefined;
  let copy = frozen.get(tool);
  if (!copy) frozen.set(tool, (copy = deepFreeze(plainCopy(schema))));
  return copy;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Returns a change for each argument that differs, new ones last. Values that are not shown are only reported as changed. */
function changesOf(before: Arguments, after: Arguments, sensitive: boolean | readonly string[] = false): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const shown = (name: string, value: unknown) =>
    value !== undefined && (sensitive === true || (sensitive && sensitive.includes(name))) ? HIDDEN : value;
  return names.flatMap((label): Change[] => {
    const [from, to] = [own(before, label), own(after, label)];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ label, ...(from !== undefined && { before: shown(label, from) }), ...(to !== undefined && { after: shown(label, to) }) }];
  });
}
