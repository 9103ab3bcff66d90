/**
 * Arguments that a person changes: of a call that waits, and of one that failed and is to run again. Either way the call
 * asks afterwards with what it would then do; nothing here allows anything.
 */
import { englishOfCalls } from '../../i18n/en-calls.js';
import { load } from '../../base/load.js';
import type { CardEdit, Change } from '../../model/calls.js';
import { placesOf } from '../../base/places.js';
import { deepFreeze, own } from '../../base/objects.js';
import { parametersOf } from '../../tools/schema.js';
import { HIDDEN } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { plainCopy } from '../../base/plain-copy.js';
import { callOf, mayHaveHappened } from '../chart/call-records.js';
import type { CallRecord, ParsedCall, EditState } from '../chart/chart-context.js';
import { NO_EDIT, say, type Chart, type EditsOf, type Services } from '../chart/services.js';
import { canRerun } from './strategies.js';
import type { RunningAgain } from './repeat-call.js';

englishOfCalls();

const repeatsOf = ({ repeats }: CallRecord) => repeats;

/** @param runAgain puts a turn of its own into the queue, which makes this call */
export function createEditing(chart: Chart, services: Services, runAgain: (request: ParsedCall) => Promise<unknown>): EditsOf {
  const { when, happens, registry, settings, log } = services;
  const context = () => chart.getSnapshot().context;
  /** The tool that a call is about, as it was when the call was looked at. */
  const tools = new Map<string, ToolDefinition>();
  /** What is known of failed calls; those that wait keep theirs in the chart. Loaded with the first of them that is to run once more. */
  let again: RunningAgain | undefined;
  /** By request id, where that could not be loaded. */
  const troubles = new Map<string, EditState>();

  /** The tool, if it is still the one the call was about. */
  function toolOf({ requestId }: CallRecord): ToolDefinition | undefined {
    const tool = tools.get(requestId);
    return tool && registry.get(tool.name) === tool ? tool : undefined;
  }

  /** What took place, or may have, is not offered again: only what surely failed, and what may be repeated anyway. */
  function canRunAgain(record: CallRecord): boolean {
    const { status, result, manual, served, approval } = record;
    if (status !== 'error' || manual || served || approval || result?.code === 'MALFORMED_CALL') return false;
    const tool = toolOf(record);
    return tool !== undefined && (canRerun(tool) || !mayHaveHappened(record));
  }

  /** The newest call that runs this one again, unless it was turned down. */
  const repetitionOf = ({ requestId }: CallRecord): CallRecord | undefined => {
    const { calls } = context();
    const counts = ({ status }: CallRecord) => status !== 'denied' && status !== 'cancelled';
    return placesOf(calls, repeatsOf, requestId)
      .map((at) => calls[at] as CallRecord)
      .findLast(counts);
  };

  async function tryAgain(record: CallRecord, args: Readonly<Record<string, unknown>>): Promise<void> {
    const { requestId } = record;
    try {
      const { createRunningAgain } = await load(() => import('./repeat-call.js'));
      again ??= createRunningAgain(services, { toolOf, canRunAgain, repetitionOf }, runAgain);
      await again.edit(record, args);
    } catch (error) {
      log.error('edit.failed', 'What runs a call again could not be loaded', { requestId }, { error });
      troubles.set(requestId, {
        answered: (troubles.get(requestId)?.answered ?? 0) + 1,
        problem: { message: settings().texts.toolFailed },
      });
      happens('cards');
    }
  }

  const isQueued = ({ requestId }: CallRecord) => again?.find(requestId)?.state === 'repeating';
  const editOf = ({ requestId }: CallRecord) => again?.find(requestId)?.edit ?? troubles.get(requestId);

  function stateOf(record: CallRecord): CardEdit | undefined {
    const waits = record.status === 'awaiting_approval' && !record.approval;
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

  when('bound', ({ requestId, tool }) => void tools.set(requestId, tool));
  // What does not fit is said on the card; where the call cannot be edited, nothing happens.
  when('edit', ({ requestId, digest, args }) => {
    const record = callOf(context(), requestId);
    if (!record) return;
    const wanted = deepFreeze(plainCopy(args));
    if (record.status === 'awaiting_approval') say(chart, { type: 'user.edit', requestId, digest, args: wanted });
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

/** Elements hand it to whoever asks: a copy, so that nobody loosens what the checks hold to. */
function frozenSchema(tool: ToolDefinition): CardEdit['schema'] {
  const schema = parametersOf(tool);
  if (!schema) return undefined;
  let copy = frozen.get(tool);
  if (!copy) frozen.set(tool, (copy = deepFreeze(plainCopy(schema))));
  return copy;
}

type Arguments = Readonly<Record<string, unknown>>;

/** One line for each argument that is another now, new ones last. Values that are not shown are only said to have changed. */
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
