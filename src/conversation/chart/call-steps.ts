/**
 * Actions of the conversation chart for calls and plans. A page without tools never needs them, so they are loaded before the first call
 * can be found (`lazy-call-steps.ts`).
 */
import { setup } from 'xstate';
import * as calls from './call-changes.js';
import { isKnown, isOpen, openCalls, recordOf } from './call-records.js';
import type { ToolCallInput } from './call-context.js';
import { toolCallMachine } from './call-machine.js';
import type { ParsedCall, ConversationContext, ConversationEmitted, ConversationEvent, Turn } from './chart-context.js';
import { planSteps } from './lazy-plan-steps.js';
import { setCallSteps } from './lazy-call-steps.js';
import * as fallback from './fallback-call.js';
import * as decided from './apply-decision.js';
import * as confirmation from './keyword-confirmation.js';
import * as branches from './branches.js';
import { noteDescriptions, untrustedSourceOf } from './untrusted-content.js';
import type { ChatMessage } from '../../model/messages.js';
import { newTurn } from './conversation-changes.js';

const chart = setup({
  types: { context: {} as ConversationContext, events: {} as ConversationEvent, emitted: {} as ConversationEmitted },
  actors: { toolCall: toolCallMachine },
});

const actions = {
  'begin manual turn': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'user.runTool') return;
    const begun = beginManualTurn(context, event);
    enqueue.assign(begun);
    enqueue.spawnChild('toolCall', { id: event.request.requestId, input: callInput(event.request, begun.turn.manual, begun.turn) });
  }),
  'hold call': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'call.found' || !calls.isNew(context, event.request)) return;
    const held = calls.holdCall(context, event);
    enqueue.assign(held.changes);
    // A call over the limit per reply is settled at once and never gets an actor.
    if (held.accepted)
      enqueue.spawnChild('toolCall', { id: event.request.requestId, input: callInput(event.request, false, context.turn) });
    else enqueue.emit({ type: 'call.settled', requestId: event.request.requestId, result: held.result });
    // Under `on-block` a call begins within the reply: its own end proves that it is complete. A dry run shows all calls of the reply
    // together, so there it starts when all of them have arrived.
    const { dispatch, rehearse } = context.turn?.settings ?? {};
    if (held.accepted && dispatch === 'on-block' && rehearse === 'off') enqueue.raise({ type: 'calls.due', proof: 'proved' });
    else enqueue.raise({ type: 'calls.held' });
  }),
  'note broken call': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'call.broken' || isKnown(context, event.broken.requestId)) return;
    enqueue.assign(calls.noteBrokenCall(context, event));
    enqueue.emit({ type: 'call.settled', requestId: event.broken.requestId, result: event.result });
  }),
  'withdraw calls': chart.enqueueActions(({ context, enqueue }) => {
    for (const { requestId } of calls.drafts(context)) enqueue.stopChild(requestId);
    enqueue.assign(calls.withdrawDrafts(context));
  }),
  'note served call': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type === 'call.served') enqueue.assign(calls.noteServedCall(context, event));
  }),
  'release calls': chart.enqueueActions(({ context, event, enqueue }) => {
    const proof = event.type === 'calls.due' ? event.proof : (context.turn?.proof ?? 'unproved');
    enqueue.assign(calls.releaseCalls(context));
    for (const call of openCalls(context)) enqueue.sendTo(call.requestId, { type: 'release', proof });
  }),
  'note change': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'call.changed') return;
    enqueue.assign(calls.noteChange(context, event));
    if (calls.isNewQuestion(context, event)) enqueue.emit({ type: 'call.waiting', requestId: event.requestId });
  }),
  'settle call': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'call.settled' || !isOpen(context, event.requestId)) return;
    enqueue.assign(calls.settleCall(context, event));
    // An actor that has ended remains a child until it is stopped.
    enqueue.stopChild(event.requestId);
    enqueue.emit({ type: 'call.settled', requestId: event.requestId, result: event.result });
    const { fallbackCall } = event;
    if (!fallbackCall || !context.turn || context.turn.manual) {
      // Calls that depend on this one can no longer run, so the user is not asked about them.
      const after = { ...context, ...calls.settleCall(context, event) };
      for (const call of planSteps()?.lostCalls(after, openCalls(after)) ?? []) {
        const result = calls.cancelled(context, call);
        enqueue.stopChild(call.requestId);
        enqueue.assign(({ context: now }) => calls.settleCall(now, { requestId: call.requestId, result }));
        enqueue.emit({ type: 'call.settled', requestId: call.requestId, result });
      }
      return;
    }
    enqueue.assign(({ context: now }) => calls.addFallbackCall(now, fallbackCall));
    enqueue.spawnChild('toolCall', { id: fallbackCall.request.requestId, input: callInput(fallbackCall.request, false, context.turn) });
    enqueue.sendTo(fallbackCall.request.requestId, { type: 'release', proof: fallbackCall.proof });
  }),
  'start what is ready': chart.enqueueActions(({ context, enqueue }) => {
    for (const { requestId } of calls.readyToStart(context)) {
      enqueue.assign(({ context: now }) => calls.markStarting(now, requestId));
      enqueue.sendTo(requestId, { type: 'start' });
    }
  }),
  'pass the decision on': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'user.allow' && event.type !== 'user.deny') return;
    if (!openCalls(context).some((call) => call.requestId === event.requestId)) return;
    enqueue.sendTo(
      event.requestId,
      event.type === 'user.allow'
        ? {
            ...({ type: 'allow', digest: event.digest } as const),
            ...(event.remember !== undefined && { remember: event.remember }),
            ...(event.word !== undefined && { word: event.word }),
          }
        : { type: 'deny', digest: event.digest, result: event.result },
    );
  }),
  'pass the grant on': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'call.granted' || !isOpen(context, event.call.requestId)) return;
    enqueue.sendTo(event.call.requestId, { type: 'granted', call: event.call });
  }),
  'pass the edit on': chart.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'user.edit' || !isOpen(context, event.requestId)) return;
    enqueue.sendTo(event.requestId, { type: 'edit', digest: event.digest, args: event.args });
  }),
  'tell results': chart.enqueueActions(({ context, enqueue }) => {
    enqueue.assign(calls.sendableResults(context));
    if (context.turn) enqueue.emit({ type: 'round.settled', requestIds: context.turn.round });
  }),
  'close open calls': chart.enqueueActions(({ context, enqueue }) => {
    for (const call of openCalls(context)) {
      const result = calls.cancelled(context, call);
      enqueue.stopChild(call.requestId);
      enqueue.assign(({ context: now }) => calls.settleCall(now, { requestId: call.requestId, result }));
      enqueue.emit({ type: 'call.settled', requestId: call.requestId, result });
    }
    if (!context.turn || context.turn.round.length === 0) return;
    enqueue.assign(({ context: now }) => calls.sendableResults(now));
    enqueue.emit({ type: 'round.settled', requestIds: context.turn.round });
  }),
  'withdraw consents': chart.assign(({ context }) => calls.withdrawConsents(context)),
  'note strangers': chart.assign(({ context, event }) => (event.type === 'prompt.told' ? noteDescriptions(context, event.strangers) : {})),
  'note planning': chart.assign(({ context, event }) => (event.type === 'plan.due' && planSteps()?.notePlanning(context, event)) || {}),
  'take the plan': chart.assign(({ context, event }) => (event.type === 'plan.found' && planSteps()?.takePlan(context, event)) || {}),
  'note what is wrong with the plan': chart.assign(
    ({ context, event }) => (event.type === 'plan.broken' && planSteps()?.notePlanProblem(context, event)) || {},
  ),
  'ask to begin': chart.assign(({ context }) => planSteps()?.remindOfPlan(context) ?? {}),
  restore: chart.enqueueActions(({ event, enqueue }) => {
    if (event.type !== 'restore') return;
    enqueue.assign(({ context: now }) => {
      const { branches: shelf = [], ...restored } = event.context;
      const next = { ...now, ...restored, branches: shelf, retry: null };
      return next.turn ? next : { ...next, ...branches.closeBranchGaps(next) };
    });
    const open = event.open.map(({ request }) => request.requestId);
    enqueue.assign(({ context: now }) => ({ parts: planSteps()?.resumePlan(now, open) ?? now.parts }));
    for (const { request, manual, recovered } of event.open)
      enqueue.spawnChild('toolCall', {
        id: request.requestId,
        input: { ...callInput(request, manual, event.context.turn), recovered },
      });
    enqueue.emit({ type: 'restored' });
    // If the rest of the reply is still to be read, its calls wait for its end.
    if (event.open.length > 0) enqueue.raise({ type: 'calls.held' });
  }),
  'begin undo': chart.assign(({ context, event }) => (event.type === 'call.undoing' ? calls.beginUndo(context, event.requestId) : {})),
  'undo call': chart.assign(({ context, event }) => (event.type === 'call.undone' ? calls.undoCall(context, event.requestId) : {})),
  'give up undo': chart.assign(({ context, event }) => (event.type === 'call.not-undone' ? calls.failUndo(context, event.requestId) : {})),
};

/**
 * Registers the actions. Every module that can bring calls runs this at its top; with a bare import, bundlers would drop this module as
 * unused.
 */
export function registerCallSteps(): void {
  setCallSteps({ actions, machine: toolCallMachine, decided, confirmation, fallback });
}

registerCallSteps();

/** Returns the input of the chart of one call. */
function callInput(request: ParsedCall, manual: boolean, turn: Turn | null): ToolCallInput {
  const { requestId } = request;
  return {
    ...{ request, manual, failed: turn?.settings.texts.toolFailed ?? '' },
    // Another script may have written the rest of the reply into the storage. So its calls need approval, unless the tool can run again
    // without harm.
    ...(turn?.resumableReply && { recovered: { question: { type: 'again', requestId, attempt: 0 }, started: false } }),
  };
}

/** Creates the turn of a call that the page or the user makes. */
export function beginManualTurn(
  context: ConversationContext,
  event: Extract<ConversationEvent, { type: 'user.runTool' }>,
): Partial<ConversationContext> & { turn: Turn } {
  const { request } = event;
  // A call that the user runs again belongs to the conversation: the model gets its result and answers.
  const manual = request.repeats === undefined;
  // A repeated call follows the same untrusted content as the failed one, and any that has arrived since.
  const failed = context.calls.findLast(({ requestId }) => requestId === request.repeats);
  const taintedBy = manual ? undefined : (failed?.taintedBy ?? untrustedSourceOf(context, event.settings));
  const message: ChatMessage = {
    id: `${event.turnId}-call`,
    role: 'assistant',
    text: '',
    createdAt: Date.now(),
    status: { type: 'complete' },
    metadata: { ...(taintedBy && { taintedBy }) },
  };
  return {
    turn: {
      ...newTurn(event.turnId, event.settings, manual),
      round: [request.requestId],
      proof: 'proved',
    },
    messages: [...context.messages, message],
    parts: { ...context.parts, [message.id]: [{ type: 'call', requestId: request.requestId }] },
    calls: [...context.calls, { ...recordOf(request, message.id), manual }],
    failure: null,
  };
}
