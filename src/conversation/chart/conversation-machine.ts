/**
 * The statechart of a conversation: stream a reply, settle its calls, stream again. A turn has two parallel regions: the reply that is
 * read, and the work on its calls. A single transition decides whether calls wait for the end of the reply or begin within it.
 *
 * The chart gets only boundaries (a call begins, is found, settles; a reply ends), never single tokens: those go from the reader to the
 * screen through `streaming-reply.ts`. `.provide()` supplies the network and the tools. Transitions only change context, start actors and notify
 * listeners. Phases derive from the state (`phase.ts`). Each phase has a step of its own, so that a listener that is notified of a phase
 * can also read it.
 */
import { and, assign, emit, enqueueActions, fromCallback, not, raise, sendTo, setup, stateIn } from 'xstate';
import * as branches from './branches.js';
import { openCalls, roundOf } from './call-records.js';
import { planSteps } from './lazy-plan-steps.js';
import { callSteps, lazyCall, lazySteps } from './lazy-call-steps.js';
import * as change from './conversation-changes.js';
import { hasUntoldProblem, waitsToBegin } from './current-plan.js';
import type { Activity } from '../../model/snapshot.js';
import type { ConversationContext, ConversationEmitted, ConversationEvent, ReplyInput, Turn } from './chart-context.js';

/** Ends the turn. The received part of the reply is kept, and everything else of the turn stops. */
const ending = { target: '#idle', actions: ['keep reply', 'close open calls', 'conclude'] } as const;

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
    toolCall: lazyCall(() => callSteps()?.machine),
  },
  delays: {
    'until the next attempt': ({ context }) => context.retry?.delayMs ?? 0,
  },
  guards: {
    'the reply made calls': ({ context }) => context.turn !== null && context.turn.round.length > 0,
    'another attempt is due': ({ event }) => event.type === 'reply.failed' && event.retry !== null,
    'every call is settled': ({ context }) => openCalls(context).length === 0,
    'a call waits for a person': ({ context }) => roundOf(context).some((call) => call.status === 'awaiting_approval'),
    'a call is executing': ({ context }) => roundOf(context).some((call) => call.status === 'executing'),
    'the rounds are used up': ({ context }) => change.roundsAreUsedUp(context),
    'a person says whether it goes on': ({ context }) => change.isForUser(context),
    'the turn has to stop': ({ context }) => change.stopReason(context) !== null,
    'the turn answers once': ({ context }) => context.turn?.settings.resultLoop === 'single',
    'the chosen tool can be asked for': ({ context }) => change.canAskForToolChoice(context),
    'the chosen tool was not called': ({ context }) => change.isToolChoicePending(context),
    'the chosen tool was passed over': ({ context }) => change.isToolChoiceIgnored(context),
    'a call is missing': ({ context }) => change.callIsMissing(context),
    'there is a question': ({ context }) => context.messages.some((message) => message.role === 'user'),
    'the user had the last word': ({ context }) => change.userMessageIsLast(context),
    'the plan could not be read': ({ context }) => hasUntoldProblem(context),
    'a plan waits to begin': ({ context }) => waitsToBegin(context),
    'the host made the call': ({ context }) => context.turn?.manual === true,
    'the reply was cut by a reload': ({ context }) => context.turn?.cut === true,
    'a reply can be read on': ({ event }) => event.type === 'restore' && event.context.turn?.resumableReply !== undefined,
    'a turn was stored': ({ event }) => event.type === 'restore' && event.context.turn !== null,
  },
  actions: {
    ...lazySteps,
    'begin turn': assign(({ context, event }) => (event.type === 'user.send' ? change.beginTurn(context, event) : {})),
    'resume turn': assign(({ context, event }) => (event.type === 'user.retry' ? change.resumeTurn(context, event) : {})),
    'open a message': assign(({ context }) => change.openMessage(context)),
    'keep reply': assign(({ context, event }) => change.keepPartialReply(context, event)),
    'tell that nothing was asked for': emit({ type: 'round.settled', requestIds: [] }),
    'schedule retry': assign(({ context, event }) =>
      event.type === 'reply.failed' && event.retry ? change.scheduleRetry(context, event.retry, Date.now()) : {},
    ),
    'forget retry': assign({ retry: null }),
    conclude: assign(({ context, event }) => change.concludeBy(context, event)),
    'conclude: done': assign(({ context }) => ({
      ...planSteps()?.answered(context),
      ...change.concludeTurn(context, change.finishReason(context)),
    })),
    'say that no call has come': assign(({ context }) => change.remind(context)),
    'leave the protocol': assign(({ context, event }) => (event.type === 'protocol.left' ? change.leaveProtocol(context, event) : {})),
    'ask for the chosen tool': assign(({ context }) => change.askForToolChoice(context)),
    'conclude: the chosen tool was not called': assign(({ context }) => change.concludeToolChoice(context)),
    'conclude: too many rounds': assign(({ context }) => change.concludeTurn(context, 'limit')),
    'conclude: ask the person': assign(({ context }) => change.concludeTurn(context, 'limit')),
    'ask for a summary': assign(({ context }) => change.askForAnswer(context)),
    'conclude by the rules': assign(({ context }) => change.concludeTurn(context, change.stopReason(context) ?? 'stop')),
    'end turn': enqueueActions(({ context, enqueue }) => {
      if (!context.turn) return;
      enqueue.emit({ type: 'turn.ended', turnId: context.turn.id, outcome: change.turnOutcome(context) });
      enqueue.assign(({ context: now }) => ({ ...branches.closeBranchGaps(now), turn: null, retry: null }));
    }),
    'the calls are due': raise(({ context }) => ({ type: 'calls.due', proof: context.turn?.proof ?? 'unproved' })),
    'go on': raise({ type: 'reply.again' }),
    // An event to the chart itself ends the step, so that listeners see this phase.
    'then decide': sendTo(({ self }) => self, { type: 'results.told' }),
    'then go on': sendTo(({ self }) => self, { type: 'turn.decided' }),
    'then end': sendTo(({ self }) => self, { type: 'turn.answered' }),
    'conclude: cut by a reload': assign(({ context }) => change.concludeReload(context)),
    'dismiss error': assign({ failure: null }),
    forget: assign({ messages: [], parts: {}, calls: [], branches: [], toolHistory: [], failure: null }),
    truncate: assign(({ context, event }) => (event.type === 'user.truncate' ? branches.cutFrom(context, event.messageId, true) : {})),
    'show another version': assign(({ context, event }) =>
      event.type === 'user.switch' ? branches.switchBranch(context, event.from, event.place) : {},
    ),
    rate: assign(({ context, event }) => (event.type === 'user.rate' ? change.rateMessage(context, event) : {})),
  },
}).createMachine({
  id: 'conversation',
  context: { messages: [], parts: {}, calls: [], turn: null, toolHistory: [], failure: null, retry: null },
  type: 'parallel',
  on: {
    'user.dismiss': { actions: 'dismiss error' },
    'user.rate': { actions: 'rate' },
    'call.undoing': { actions: 'begin undo' },
    'call.undone': { actions: 'undo call' },
    'call.not-undone': { actions: 'give up undo' },
    'ask.blocked': { actions: assign(({ context, event }) => change.blockConversation(context, event.failure)) },
  },
  states: {
    talk: {
      initial: 'idle',
      states: {
        idle: {
          id: 'idle',
          entry: ['withdraw consents', 'end turn'],
          on: {
            'user.send': { target: 'turn', actions: 'begin turn' },
            'user.retry': [
              { guard: not('there is a question') },
              { guard: 'the user had the last word', target: 'turn', actions: 'resume turn' },
              { target: '#later', actions: 'resume turn' },
            ],
            'user.runTool': { target: ['#answered', '#calls'], actions: ['begin manual turn', 'release calls'] },
            'user.clear': { actions: 'forget' },
            restore: [
              { guard: 'a reply can be read on', target: '#later', actions: 'restore' },
              { guard: 'a turn was stored', target: ['#answered', '#calls'], actions: ['restore', 'release calls'] },
              { actions: 'restore' },
            ],
            'user.truncate': { actions: 'truncate' },
            'user.switch': { actions: 'show another version' },
          },
        },

        turn: {
          type: 'parallel',
          on: {
            // A stop ends the turn in any state: the request is closed, finished results are kept, and other calls are cancelled.
            'user.stop': ending,
            'call.changed': { actions: ['note change', 'start what is ready'] },
            'call.settled': { actions: ['settle call', 'start what is ready'] },
            'user.allow': { actions: 'pass the decision on' },
            'user.deny': { actions: 'pass the decision on' },
            'call.granted': { actions: 'pass the grant on' },
            'user.edit': { actions: 'pass the edit on' },
          },
          states: {
            // The first reply of a turn is the phase `plan`; later replies are `respond`.
            round: {
              initial: 'first',
              states: {
                first: { on: { 'reply.again': 'later' } },
                later: { id: 'later' },
              },
            },

            // Tracks whether other turns wait for this one.
            queue: {
              initial: 'empty',
              states: {
                empty: { on: { 'queue.filled': 'filled' } },
                filled: { on: { 'queue.emptied': 'empty' } },
              },
            },

            reply: {
              initial: 'streaming',
              states: {
                streaming: {
                  tags: 'streaming',
                  entry: 'open a message',
                  invoke: {
                    id: 'readReply',
                    src: 'readReply',
                    input: ({ context }): ReplyInput => ({
                      turn: context.turn as Turn,
                      messageId: change.runningMessage(context)?.id ?? '',
                      messages: context.messages,
                      parts: context.parts,
                      calls: context.calls,
                    }),
                  },
                  initial: 'text',
                  states: {
                    text: { on: { 'call.opened': 'parsing', 'network.gone': 'offline' } },
                    // Nothing is sent yet.
                    offline: { on: { 'network.back': 'text' } },
                    parsing: { tags: 'parsing', on: { 'call.closed': 'text' } },
                  },
                  on: {
                    'call.found': { actions: 'hold call' },
                    'call.broken': { actions: 'note broken call' },
                    'protocol.left': { actions: 'leave the protocol' },
                    'calls.withdrawn': { actions: 'withdraw calls' },
                    'call.served': { actions: 'note served call' },
                    'prompt.told': { actions: 'note strangers' },
                    'plan.due': { actions: 'note planning' },
                    'plan.found': { actions: 'take the plan' },
                    'plan.broken': { actions: 'note what is wrong with the plan' },
                    'reply.ended': { target: 'ended', actions: 'keep reply' },
                    'reply.cut': ending,
                    'reply.failed': [{ guard: 'another attempt is due', target: 'retrying', actions: 'schedule retry' }, ending],
                  },
                },
                retrying: {
                  tags: 'retrying',
                  after: { 'until the next attempt': 'streaming' },
                  exit: 'forget retry',
                },
                ended: {
                  always: [
                    {
                      guard: and(['the reply made calls', 'the rounds are used up']),
                      target: '#idle',
                      actions: ['close open calls', 'conclude: too many rounds'],
                    },
                    { guard: 'the reply made calls', target: 'answered', actions: 'the calls are due' },
                    { guard: 'the plan could not be read', target: 'streaming', actions: 'go on' },
                    { guard: 'a plan waits to begin', target: 'streaming', actions: ['ask to begin', 'go on'] },
                    { guard: 'the chosen tool can be asked for', target: 'streaming', actions: ['ask for the chosen tool', 'go on'] },
                    {
                      guard: 'the chosen tool was not called',
                      target: '#idle',
                      actions: 'conclude: the chosen tool was not called',
                    },
                    { guard: 'a call is missing', target: 'streaming', actions: ['say that no call has come', 'go on'] },
                    { target: 'closing' },
                  ],
                },
                // The calls of the reply are settled first; the next reply gets their results.
                answered: { id: 'answered', on: { 'reply.again': 'streaming' } },
                closing: {
                  entry: ['tell that nothing was asked for', 'then end'],
                  on: { 'turn.answered': { target: '#idle', actions: 'conclude: done' } },
                },
              },
            },

            work: {
              initial: 'none',
              states: {
                none: { on: { 'calls.held': 'held', 'calls.due': { target: 'calls', actions: 'release calls' } } },
                // The calls are complete and shown. The end of the reply decides whether they run.
                held: { on: { 'calls.due': { target: 'calls', actions: 'release calls' } } },
                // Calls are checked, wait, and run. A running call takes precedence over a waiting one, because it is what the user can
                // stop.
                calls: {
                  id: 'calls',
                  on: { 'calls.due': { actions: 'release calls' } },
                  always: { guard: and([stateIn('#answered'), 'every call is settled']), target: 'results' },
                  initial: 'checking',
                  states: {
                    checking: {
                      always: [
                        { guard: 'a call is executing', target: 'running' },
                        { guard: 'a call waits for a person', target: 'asking' },
                      ],
                    },
                    asking: {
                      tags: 'awaitingApproval',
                      always: [
                        { guard: 'a call is executing', target: 'running' },
                        { guard: not('a call waits for a person'), target: 'checking' },
                      ],
                    },
                    running: {
                      tags: 'executing',
                      always: { guard: not('a call is executing'), target: 'checking' },
                      initial: 'alone',
                      states: {
                        alone: { always: { guard: 'a call waits for a person', target: 'besides a question' } },
                        'besides a question': {
                          tags: 'awaitingApproval',
                          always: { guard: not('a call waits for a person'), target: 'alone' },
                        },
                      },
                    },
                  },
                },
                // Every call has its terminal status; each result becomes a message after the reply.
                results: {
                  entry: ['tell results', 'then decide'],
                  on: {
                    'results.told': [
                      { guard: 'the host made the call', target: '#idle', actions: 'conclude: done' },
                      { guard: 'the reply was cut by a reload', target: '#idle', actions: 'conclude: cut by a reload' },
                      { target: 'deciding' },
                    ],
                  },
                },
                // Continue, let the model summarize after the last round, ask the user, or stop (denied twice, or the host wants single
                // answers).
                deciding: {
                  entry: 'then go on',
                  on: {
                    'turn.decided': [
                      {
                        guard: and(['the chosen tool was passed over', 'the chosen tool can be asked for', not('the turn answers once')]),
                        target: 'none',
                        actions: ['ask for the chosen tool', 'go on'],
                      },
                      {
                        guard: 'the chosen tool was passed over',
                        target: '#idle',
                        actions: 'conclude: the chosen tool was not called',
                      },
                      { guard: 'a person says whether it goes on', target: '#idle', actions: 'conclude: ask the person' },
                      { guard: 'the turn has to stop', target: '#idle', actions: 'conclude by the rules' },
                      { guard: 'the rounds are used up', target: 'none', actions: ['ask for a summary', 'go on'] },
                      { target: 'none', actions: 'go on' },
                    ],
                  },
                },
              },
            },
          },
        },
      },
    },

    // Memory is summarized in parallel with the turns, so a turn may begin meanwhile.
    memory: {
      initial: 'resting',
      states: {
        resting: { on: { 'summary.begun': 'summarising' } },
        summarising: { tags: 'summarising', on: { 'summary.over': 'resting' } },
      },
    },
  },
});
