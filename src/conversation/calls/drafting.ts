/**
 * Shows arguments on the page while they are written and while the user is asked, through the tool's own `onArguments`. Each draft is
 * undone before the next one, before the tool looks at the page (`preview`), while any call runs, and however else the call continues.
 */
import { load } from '../../base/load.js';
import { plainCopy } from '../../base/plain-copy.js';
import { approvalDigest } from '../../model/approval-digest.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { partsAt, rootParts } from '../../tools/schema-parts.js';
import type { ToolContext } from '../../tools/tool.js';
import { endedWithoutResult, hasBegun, isSettled } from '../chart/call-records.js';
import { sendEvent, type Chart, type FeaturePart, type BusEvents, type ConversationServices } from '../chart/services.js';
import { permissionsOf } from '../options/read-settings.js';

type Args = Record<string, unknown>;

interface Draft {
  tool: BusEvents['written']['tool'];
  /** The arguments that the page shows. The same ones are not shown twice. */
  args?: unknown;
  takeBack?: unknown;
  aborted: AbortController;
  /** Set if the user has done on the page what the call asks for. A waiting call then ends with this sentence. */
  doneByHand?: string;
  /** The call whose approval was ended in this way. */
  ended?: unknown;
  /** True if the tool threw. It is not called again for this call. */
  failed?: true;
}

/** @param earlier what was written before this was loaded */
export async function loadDrafting() {
  const { coerceArguments, parametersOf, toolContext } = await load(() => import('./tool-execution.js'));

  return function createDrafting(
    chart: Chart,
    { on, settings, log }: ConversationServices,
    earlier: readonly BusEvents['written'][],
  ): FeaturePart {
    const drafts = new Map<string, Draft>();

    const safely = (requestId: string, draft: Draft, act: () => void) => {
      try {
        act();
      } catch (error) {
        draft.failed = true;
        log.warn('tool.draft-failed', 'A draft could not be shown', { toolName: draft.tool.name, requestId }, { error });
      }
    };

    function withdrawDraft(requestId: string, draft: Draft): void {
      const { takeBack: back } = draft;
      delete draft.takeBack;
      delete draft.args;
      if (typeof back === 'function') safely(requestId, draft, () => void (back as () => unknown)());
    }

    function show(requestId: string, draft: Draft, args: Args): void {
      withdrawDraft(requestId, draft);
      draft.args = args;
      const { tool, aborted, failed } = draft;
      const { context, sessionId } = settings();
      const progress: ToolContext['progress'] = ({ fraction, message = '' }) => {
        if (fraction !== 1) return;
        draft.doneByHand = message;
        look();
      };
      const around = {
        requestId,
        toolName: tool.name,
        sessionId,
        signal: aborted.signal,
        log,
        progress,
        permissions: permissionsOf(context),
      };
      if (!failed)
        safely(requestId, draft, () => {
          draft.takeBack = tool.onArguments?.(plainCopy(args), toolContext({ ...around, user: context['user'] }));
        });
    }

    function end(requestId: string, draft: Draft): void {
      withdrawDraft(requestId, draft);
      drafts.delete(requestId);
      draft.aborted.abort();
    }

    function take({ requestId, tool, params, partial }: BusEvents['written']): void {
      const draft = drafts.get(requestId) ?? { tool, aborted: new AbortController() };
      drafts.set(requestId, draft);
      const schema = parametersOf(tool);
      if (partial) show(requestId, draft, fitting(coerceArguments(named(params), schema, 'schema'), schema));
      // The call is checked now, and its changes are compared with the page as it is without the draft.
      else withdrawDraft(requestId, draft);
    }

    function look(): void {
      if (drafts.size === 0) return;
      const { calls, turn } = chart.getSnapshot().context;
      // A running call may submit a whole form, which must not contain drafts of waiting calls.
      const runs = calls.some((call) => hasBegun(call) && !isSettled(call));
      for (const [requestId, draft] of drafts) {
        const record = calls.findLast((one) => one.requestId === requestId);
        const { status, call } = record ?? {};
        if (status === 'awaiting_approval' && call) {
          if (draft.doneByHand !== undefined) {
            if (draft.ended === call) continue;
            draft.ended = call;
            const result = endedWithoutResult(requestId, call.toolName, 'cancelled', 'CANCELLED', draft.doneByHand);
            sendEvent(chart, { type: 'user.deny', requestId, digest: approvalDigest(call), result });
          } else if (runs) withdrawDraft(requestId, draft);
          else if (draft.args !== call.args) show(requestId, draft, call.args as Args);
        } else if (status === 'pending') withdrawDraft(requestId, draft);
        // A reply that was cut, or a call that could not be parsed, leaves no record.
        else if (record || !turn || isOver(chart)) end(requestId, draft);
      }
    }

    return {
      name: 'tool-chat:drafts',
      setup() {
        for (const one of earlier) take(one);
        const off = on('written', take);
        const watching = chart.subscribe(look);
        look();
        return () => {
          off();
          watching.unsubscribe();
          for (const [requestId, draft] of drafts) end(requestId, draft);
        };
      },
    };
  };
}

/** Checks that no reply is streaming. */
const isOver = (chart: Chart): boolean => !chart.getSnapshot().hasTag('streaming');

/** Drops the value without a name: the whole text of arguments that arrive in one piece. */
const named = (params: Args): Args => Object.fromEntries(Object.entries(params).filter(([name]) => name !== ''));

/** Drops texts for which another type is declared: half a number is not a number yet. */
const fitting = (args: Args, schema: JsonSchema | undefined): Args =>
  Object.fromEntries(
    Object.entries(args).filter(([name, value]) => {
      const declared = typeof value === 'string' && schema ? partsAt(rootParts(schema), name) : [];
      return declared.every(({ type }) => type === undefined) || declared.some(({ type }) => type === 'string');
    }),
  );
