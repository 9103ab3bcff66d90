/**
 * One conversation: stream a reply, settle the calls it made, stream again. Phases are seed 004's six, activities nest inside (X-05).
 *
 * The chart hears boundaries (a call begins, is found, settles; a reply ends), never single tokens: those go from the reader to the
 * screen through `live-reply.ts`. The network, the tools and the clock come in by `.provide()`. Transitions only change context,
 * start actors and tell listeners; what the page sees is derived in `view.ts`.
 */
import { and, assign, emit, enqueueActions, fromCallback, not, setup } from 'xstate';
import * as calls from './call-changes.js';
import * as change from './conversation-changes.js';
import * as plan from './plan-changes.js';
import type { Activity, Phase } from '../../model/snapshot.js';
import { toolCallMachine, type ToolCallInput } from './call-machine.js';
import type { CallRequest, ConversationContext, ConversationEmitted, ConversationEvent, ReplyInput, Turn } from './chart-context.js';
import { addStandIn } from './fallback-call.js';
import { replying, stopping, working } from './reply-states.js';

export const conversationMachine = setup({
  types: {
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    emitted: {} as ConversationEmitted,
    tags: {} as Activity,
  },
  actors: {
    readReply: fromCallback<ConversationEvent, ReplyInput>(() => {
      throw new Error('Provide `readReply`.');
    }),
    toolCall: toolCallMachine,
  },
  delays: {
    'until the next attempt': ({ context }) => context.retry?.delayMs ?? 0,
  },
  guards: {
    'the reply made calls': ({ context }) => context.turn !== null && context.turn.round.length > 0,
    'another attempt is due': ({ event }) => event.type === 'reply.failed' && event.retry !== null,
    'every call is settled': ({ context }) => calls.openCalls(context).length === 0,
    'a call waits for a person': ({ context }) => calls.roundOf(context).some((call) => call.status === 'awaiting_approval'),
    'a call is executing': ({ context }) => calls.roundOf(context).some((call) => call.status === 'executing'),
    'the rounds are used up': ({ context }) => change.roundsAreUsedUp(context),
    'a person says whether it goes on': ({ context }) => change.isForPerson(context),
    'the turn has to stop': ({ context }) => change.stopReason(context) !== null,
    'the turn answers once': ({ context }) => context.turn?.settings.resultLoop === 'single',
    'the chosen tool can be asked for': ({ context }) => change.lockCanBeAsked(context),
    'the chosen tool was not called': ({ context }) => change.lockIsOpen(context),
    'the chosen tool was passed over': ({ context }) => change.choiceWasIgnored(context),
    'there is a question': ({ context }) => context.messages.some((message) => message.role === 'user'),
    'the user had the last word': ({ context }) => change.userHadLastWord(context),
    'the plan could not be read': ({ context }) => plan.hasUntoldProblem(context),
    'a plan waits to begin': ({ context }) => plan.waitsToBegin(context),
    'the host made the call': ({ context }) => context.turn?.manual === true,
    'the reply was cut by a reload': ({ context }) => context.turn?.cut === true,
    'a reply can be read on': ({ event }) => event.type === 'restore' && event.context.turn?.rest !== undefined,
    'a turn was stored': ({ event }) => event.type === 'restore' && event.context.turn !== null,
  },
  actions: {
    announce: enqueueActions(({ context, enqueue }, { state, reason }: { state: Phase; reason: string }) => {
      if (context.phase === state) return;
      enqueue.emit({ type: 'phase', state, previous: context.phase, reason });
      enqueue.assign({ phase: state });
    }),
    'begin turn': assign(({ context, event }) => (event.type === 'user.send' ? change.beginTurn(context, event) : {})),
    'resume turn': assign(({ context, event }) => (event.type === 'user.retry' ? change.resumeTurn(context, event) : {})),
    'begin manual turn': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'user.runTool') return;
      const begun = change.beginManualTurn(context, event);
      enqueue.assign(begun);
      enqueue.spawnChild('toolCall', { id: event.request.requestId, input: callInput(event.request, begun.turn.manual, begun.turn) });
    }),
    'open a message': assign(({ context }) => change.openMessage(context)),
    'keep reply': assign(({ context, event }) => change.keepWhatCame(context, event)),
    'hold call': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.found' || !calls.isNew(context, event.request)) return;
      const held = calls.holdCall(context, event);
      enqueue.assign(held.changes);
      // Over the limit of calls a reply may make, a call is answered at once and never gets an actor.
      if (held.accepted)
        enqueue.spawnChild('toolCall', { id: event.request.requestId, input: callInput(event.request, false, context.turn) });
      else enqueue.emit({ type: 'call.settled', requestId: event.request.requestId, result: held.result });
      // Under `on-block` the stream goes on inside `tool_call`; that this call is whole is proved by its own end (S0-43).
      if (!held.accepted || context.turn?.settings.dispatch !== 'on-block') return;
      enqueue.assign(({ context: now }) => calls.releaseCalls(now));
      enqueue.sendTo(event.request.requestId, { type: 'release', proof: 'proved' });
      if (context.phase === 'tool_call') return;
      enqueue.emit({ type: 'phase', state: 'tool_call', previous: context.phase, reason: 'a call was read' });
      enqueue.assign({ phase: 'tool_call' });
    }),
    'note broken call': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.broken' || calls.isKnown(context, event.broken.requestId)) return;
      enqueue.assign(calls.noteBrokenCall(context, event));
      enqueue.emit({ type: 'call.settled', requestId: event.broken.requestId, result: event.result });
    }),
    'note served call': enqueueActions(({ context, event, enqueue }) => {
      if (event.type === 'call.served') enqueue.assign(calls.noteServedCall(context, event));
    }),
    'release calls': enqueueActions(({ context, enqueue }) => {
      enqueue.assign(calls.releaseCalls(context));
      for (const call of calls.openCalls(context))
        enqueue.sendTo(call.requestId, { type: 'release', proof: context.turn?.proof ?? 'unproved' });
    }),
    'note change': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.changed') return;
      enqueue.assign(calls.noteChange(context, event));
      if (calls.isNewQuestion(context, event)) enqueue.emit({ type: 'call.waiting', requestId: event.requestId });
    }),
    'settle call': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.settled' || !calls.isOpen(context, event.requestId)) return;
      enqueue.assign(calls.settleCall(context, event));
      // An actor that has ended stays among the children until it is let go.
      enqueue.stopChild(event.requestId);
      enqueue.emit({ type: 'call.settled', requestId: event.requestId, result: event.result });
      const { standIn } = event;
      if (!standIn || !context.turn || context.turn.manual) {
        // What depended on it cannot be done any more, and nobody is asked about it.
        const after = { ...context, ...calls.settleCall(context, event) };
        for (const call of plan.lostCalls(after, calls.openCalls(after))) {
          const result = calls.cancelled(context, call);
          enqueue.stopChild(call.requestId);
          enqueue.assign(({ context: now }) => calls.settleCall(now, { requestId: call.requestId, result }));
          enqueue.emit({ type: 'call.settled', requestId: call.requestId, result });
        }
        return;
      }
      enqueue.assign(({ context: now }) => addStandIn(now, standIn));
      enqueue.spawnChild('toolCall', { id: standIn.request.requestId, input: callInput(standIn.request, false, context.turn) });
      enqueue.sendTo(standIn.request.requestId, { type: 'release', proof: standIn.proof });
    }),
    'start what is ready': enqueueActions(({ context, enqueue }) => {
      for (const { requestId } of calls.readyToStart(context)) {
        enqueue.assign(({ context: now }) => calls.markStarting(now, requestId));
        enqueue.sendTo(requestId, { type: 'start' });
      }
    }),
    'pass the decision on': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'user.allow' && event.type !== 'user.deny') return;
      if (!calls.openCalls(context).some((call) => call.requestId === event.requestId)) return;
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
    'pass the grant on': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'call.granted' || !calls.isOpen(context, event.call.requestId)) return;
      enqueue.sendTo(event.call.requestId, { type: 'granted', call: event.call });
    }),
    'pass the edit on': enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'user.edit' || !calls.isOpen(context, event.requestId)) return;
      enqueue.sendTo(event.requestId, { type: 'edit', digest: event.digest, args: event.args });
    }),
    'tell results': enqueueActions(({ context, enqueue }) => {
      enqueue.assign(calls.tellResults(context));
      if (context.turn) enqueue.emit({ type: 'round.settled', requestIds: context.turn.round });
    }),
    'tell that nothing was asked for': emit({ type: 'round.settled', requestIds: [] }),
    'close open calls': enqueueActions(({ context, enqueue }) => {
      for (const call of calls.openCalls(context)) {
        const result = calls.cancelled(context, call);
        enqueue.stopChild(call.requestId);
        enqueue.assign(({ context: now }) => calls.settleCall(now, { requestId: call.requestId, result }));
        enqueue.emit({ type: 'call.settled', requestId: call.requestId, result });
      }
      if (!context.turn || context.turn.round.length === 0) return;
      enqueue.assign(({ context: now }) => calls.tellResults(now));
      enqueue.emit({ type: 'round.settled', requestIds: context.turn.round });
    }),
    'schedule retry': assign(({ context, event }) =>
      event.type === 'reply.failed' && event.retry ? change.scheduleRetry(context, event.retry, Date.now()) : {},
    ),
    'forget retry': assign({ retry: null }),
    conclude: assign(({ context, event }) => change.concludeBy(context, event)),
    'conclude: done': assign(({ context }) => ({ ...plan.answered(context), ...change.conclude(context, change.finishReason(context)) })),
    'note planning': assign(({ context, event }) => (event.type === 'plan.due' ? plan.notePlanning(context, event) : {})),
    'take the plan': assign(({ context, event }) => (event.type === 'plan.found' ? plan.takePlan(context, event) : {})),
    'note what is wrong with the plan': assign(({ context, event }) =>
      event.type === 'plan.broken' ? plan.notePlanProblem(context, event) : {},
    ),
    'ask to begin': assign(({ context }) => plan.pushOn(context)),
    'ask for the chosen tool': assign(({ context }) => change.askForLock(context)),
    'conclude: the chosen tool was not called': assign(({ context }) => change.concludeLocked(context)),
    'conclude: too many rounds': assign(({ context }) => change.conclude(context, 'limit')),
    'conclude: ask the person': assign(({ context }) => change.conclude(context, 'limit')),
    'ask for a summary': assign(({ context }) => change.askForAnswer(context)),
    'conclude by the rules': assign(({ context }) => change.conclude(context, change.stopReason(context) ?? 'stop')),
    'end turn': enqueueActions(({ context, enqueue }) => {
      if (!context.turn) return;
      enqueue.emit({ type: 'turn.ended', turnId: context.turn.id, outcome: change.outcomeOf(context) });
      enqueue.assign({ turn: null, retry: null });
    }),
    restore: enqueueActions(({ event, enqueue }) => {
      if (event.type !== 'restore') return;
      enqueue.assign({ ...event.context, retry: null });
      enqueue.assign(({ context: now }) => ({
        parts: plan.resumePlan(
          now,
          event.open.map(({ request }) => request.requestId),
        ),
      }));
      for (const { request, manual, recovered } of event.open)
        enqueue.spawnChild('toolCall', {
          id: request.requestId,
          input: { ...callInput(request, manual, event.context.turn), recovered },
        });
      enqueue.emit({ type: 'restored' });
    }),
    'conclude: cut by a reload': assign(({ context }) => change.concludeReload(context)),
    'dismiss error': assign({ failure: null }),
    forget: assign({ messages: [], parts: {}, calls: [], toolHistory: [], failure: null }),
    truncate: assign(({ context, event }) => (event.type === 'user.truncate' ? change.truncate(context, event.messageId) : {})),
  },
}).createMachine({
  id: 'conversation',
  context: { messages: [], parts: {}, calls: [], turn: null, toolHistory: [], failure: null, retry: null, phase: 'idle' },
  initial: 'idle',
  on: {
    'user.dismiss': { actions: 'dismiss error' },
    'call.undoing': { actions: assign(({ context, event }) => calls.beginUndo(context, event.requestId)) },
    'call.undone': { actions: assign(({ context, event }) => calls.undoCall(context, event.requestId)) },
    'ask.blocked': { actions: assign(({ context, event }) => change.blockAsking(context, event.failure)) },
  },
  states: {
    idle: {
      entry: [{ type: 'announce', params: { state: 'idle', reason: 'turn over' } }, 'end turn'],
      on: {
        'user.send': { target: 'plan', actions: 'begin turn' },
        'user.retry': [
          { guard: not('there is a question') },
          { guard: 'the user had the last word', target: 'plan', actions: 'resume turn' },
          { target: 'respond', actions: 'resume turn' },
        ],
        'user.runTool': { target: 'tool_call', actions: 'begin manual turn' },
        'user.clear': { actions: 'forget' },
        restore: [
          { guard: 'a reply can be read on', target: 'respond', actions: 'restore' },
          { guard: 'a turn was stored', target: 'tool_call', actions: 'restore' },
          { actions: 'restore' },
        ],
        'user.truncate': { actions: 'truncate' },
      },
    },

    // The prompt is built and the first reply streams.
    plan: {
      entry: { type: 'announce', params: { state: 'plan', reason: 'a message was sent' } },
      ...replying('#conversation.respond.closing'),
    },

    // Calls are checked, wait, and run; what a person is asked and what runs are two questions.
    tool_call: {
      entry: [{ type: 'announce', params: { state: 'tool_call', reason: 'the reply made calls' } }, 'release calls'],
      always: { guard: 'every call is settled', target: 'tool_result' },
      on: {
        ...working,
        'user.stop': stopping(),
      },
      type: 'parallel',
      states: {
        approval: {
          initial: 'notAsked',
          states: {
            notAsked: { always: { guard: 'a call waits for a person', target: 'awaitingApproval' } },
            awaitingApproval: {
              tags: 'awaitingApproval',
              always: {
                guard: ({ context }) => !calls.roundOf(context).some((call) => call.status === 'awaiting_approval'),
                target: 'notAsked',
              },
            },
          },
        },
        execution: {
          initial: 'notExecuting',
          states: {
            notExecuting: { always: { guard: 'a call is executing', target: 'executing' } },
            executing: {
              tags: 'executing',
              always: {
                guard: ({ context }) => !calls.roundOf(context).some((call) => call.status === 'executing'),
                target: 'notExecuting',
              },
            },
          },
        },
      },
    },

    // Every call has its one terminal status; each result becomes a message after the reply.
    tool_result: {
      entry: [{ type: 'announce', params: { state: 'tool_result', reason: 'every call is settled' } }, 'tell results'],
      always: [
        { guard: 'the host made the call', target: 'idle', actions: 'conclude: done' },
        { guard: 'the reply was cut by a reload', target: 'idle', actions: 'conclude: cut by a reload' },
        { target: 'decide' },
      ],
    },

    // Go on, let the model sum up after the last round, ask the person (S4-09), or stop: denied twice, or the host wants single answers.
    decide: {
      entry: { type: 'announce', params: { state: 'decide', reason: 'results are in' } },
      always: [
        {
          guard: and(['the chosen tool was passed over', 'the chosen tool can be asked for', not('the turn answers once')]),
          target: 'respond',
          actions: 'ask for the chosen tool',
        },
        { guard: 'the chosen tool was passed over', target: 'idle', actions: 'conclude: the chosen tool was not called' },
        { guard: 'a person says whether it goes on', target: 'idle', actions: 'conclude: ask the person' },
        { guard: 'the turn has to stop', target: 'idle', actions: 'conclude by the rules' },
        { guard: 'the rounds are used up', target: 'respond', actions: 'ask for a summary' },
        { target: 'respond' },
      ],
    },

    // A later reply streams, or a reply without calls ends.
    respond: {
      entry: { type: 'announce', params: { state: 'respond', reason: 'the assistant answers' } },
      ...replying('closing'),
      states: {
        ...replying('closing').states,
        closing: { always: { target: '#conversation.idle', actions: 'conclude: done' } },
      },
    },
  },
});

/** What a call's own chart is given. */
function callInput(request: CallRequest, manual: boolean, turn: Turn | null): ToolCallInput {
  const { requestId } = request;
  return {
    ...{ request, manual, failed: turn?.settings.texts.toolFailed ?? '' },
    // Whoever could write into the storage could have written it: what is more than a look asks.
    ...(turn?.rest && { recovered: { question: { type: 'again', requestId, attempt: 0 }, started: false } }),
  };
}
