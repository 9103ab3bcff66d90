/**
 * The statechart of one tool call, from the moment it is complete to its terminal status. There is one actor per call; the conversation
 * only counts them. `.provide()` supplies the checks, the journal and the tool. Nothing but this chart starts a tool.
 */
import { assign, fromPromise, sendParent, setup } from 'xstate';
import { approvalDigest } from '../../model/approval-digest.js';
import type { Call, CardStatus, PublishedResult } from '../../model/calls.js';
import { endedWithoutResult } from './call-records.js';
import type { Arguments, Checked, Authorization, PreviewedAgain, ToolCallContext, ToolCallEvent, ToolCallInput } from './call-context.js';
import type {
  CallChange,
  ParsedCall,
  Conclusion,
  ConversationEvent,
  EditState,
  Edited,
  Proof,
  RecallReason,
  Recovered,
} from './chart-context.js';

const missing = (name: string) => () => {
  throw new Error(`Provide \`${name}\`.`);
};

/** Builds the event that reports a change to the conversation. Undefined fields are left out, so their values stay as they were. */
const reportStatus =
  (status: CardStatus, change: (context: ToolCallContext) => Loose<CallChange> = () => ({})) =>
  ({ context }: { context: ToolCallContext }): ConversationEvent => {
    const told = Object.entries(change(context)).filter(([, value]) => value !== undefined);
    return { type: 'call.changed', requestId: context.request.requestId, status, ...(Object.fromEntries(told) as CallChange) };
  };
type Loose<T> = { [Name in keyof T]: T[Name] | undefined };

/** Returns the fields of the question to the user. */
const question = ({ offers, resources, facts, call, edit, original }: ToolCallContext) => ({
  ...{ offers, resources, ...facts, call, edit, original },
});

const denyTransitions = {
  guard: { type: 'it is about what was shown', params: ({ event }: { event: { digest: string } }) => event.digest },
  target: 'settled',
  actions: { type: 'keep the denial', params: ({ event }: { event: { result: PublishedResult } }) => event.result },
} as const;

const recallTransitions = {
  target: 'dryRunning',
  actions: { type: 'note why it is recalled', params: ({ event }: { event: { why: RecallReason } }) => event.why },
} as const;

export const toolCallMachine = setup({
  types: { context: {} as ToolCallContext, events: {} as ToolCallEvent, input: {} as ToolCallInput },
  actors: {
    check: fromPromise<Checked, { request: ParsedCall; proof: Proof; manual: boolean; edited?: Edited; recovered?: Recovered }>(
      missing('check'),
    ),
    authorize: fromPromise<Authorization, { call: Call; ticket: object; remember?: number }>(missing('authorize')),
    dryRun: fromPromise<PreviewedAgain, { call: Call; ticket: object; why: RecallReason }>(missing('dryRun')),
    execute: fromPromise<PublishedResult | Conclusion, { call: Call; ticket: object }>(missing('execute')),
    record: fromPromise<void, { call: Call; result: PublishedResult }>(missing('record')),
  },
  guards: {
    'it is about what was shown': ({ context }, digest: string) => context.call !== undefined && digest === approvalDigest(context.call),
  },
  actions: {
    'tell: queued': sendParent(
      reportStatus('queued', ({ decidedBy, word, resources, facts, call }) => ({
        ...{ byPerson: decidedBy === 'person', word, resources, ...facts, call },
      })),
    ),
    'tell: waiting': sendParent(reportStatus('awaiting_approval', question)),
    'tell: revising': sendParent(
      reportStatus('awaiting_approval', (context) => ({ ...question(context), edit: { answered: 0, ...context.edit, checking: true } })),
    ),
    'tell: looked at again': sendParent(reportStatus('pending')),
    'tell: executing': sendParent(reportStatus('executing', () => ({ started: true }))),
    'tell: failed': sendParent(
      reportStatus('awaiting_approval', ({ result, conclusion }) => ({ offers: [], failed: result, advice: conclusion?.advice })),
    ),
    'tell: settled': sendParent(({ context }): ConversationEvent => ({
      type: 'call.settled',
      requestId: context.request.requestId,
      result: context.result as PublishedResult,
      ...(context.call && { call: context.call }),
      ...consequences(context),
    })),
    'keep how it came out': assign((_, output: PublishedResult | Conclusion) => {
      if (!('type' in output)) return { result: output, conclusion: {} };
      const { type: _type, result, ...conclusion } = output;
      return { result, conclusion };
    }),
    'note why it is recalled': assign((_, recalled: RecallReason) => ({ recalled, decidedBy: 'policy' as const })),
    'keep how it would be': assign((_, looked: PreviewedAgain) => looked ?? {}),
    // A waiting call can also be closed as not executed.
    'keep the denial': assign((_, result: PublishedResult) => ({
      result,
      ...(result.status === 'denied' && { fate: 'declined' as const }),
    })),
    'keep failure': assign({
      result: ({ context: { request, call, failed } }) =>
        endedWithoutResult(request.requestId, call?.toolName ?? request.toolName, 'error', 'EXECUTION_FAILED', failed),
    }),
    'keep what was checked': assign((_, checked: Checked) =>
      checked.type === 'checked'
        ? {
            call: checked.call,
            ticket: checked.ticket,
            resources: checked.resources ?? [],
            offers: checked.offers ?? [],
            ...(checked.facts && { facts: checked.facts }),
          }
        : {},
    ),
    'keep what is wanted': assign({
      wanted: (_, args: Arguments) => args,
      original: ({ context }) => context.original ?? context.call?.args ?? {},
    }),
    'answer the edit': assign({
      edit: ({ context }, problem: EditState['problem']) => ({ answered: (context.edit?.answered ?? 0) + 1, ...(problem && { problem }) }),
    }),
  },
}).createMachine({
  id: 'toolCall',
  context: ({ input }) => ({
    ...input,
    proof: 'unproved',
    decidedBy: 'policy',
    resources: [],
    offers: [],
    recalled: 'changed',
    started: false,
    wanted: {},
    ...(input.recovered?.edited && { original: input.recovered.edited.original }),
  }),
  initial: 'held',
  states: {
    held: {
      on: { release: { target: 'checking', actions: assign({ proof: ({ event }) => event.proof }) } },
    },
    checking: {
      invoke: {
        id: 'check',
        src: 'check',
        input: ({ context }) => ({
          request: context.request,
          proof: context.proof,
          manual: context.manual,
          ...(context.recovered && { recovered: context.recovered }),
          ...(context.recovered?.edited && { edited: context.recovered.edited }),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.type === 'refused',
            target: 'settled',
            actions: assign(({ event }) =>
              event.output.type === 'refused'
                ? {
                    result: event.output.result,
                    ...(event.output.call && { call: event.output.call }),
                    ...(event.output.fate && { fate: event.output.fate }),
                  }
                : {},
            ),
          },
          {
            guard: ({ event }) => event.output.type === 'checked' && event.output.verdict === 'ask',
            target: 'awaitingApproval',
            actions: { type: 'keep what was checked', params: ({ event }) => event.output },
          },
          { target: 'queued', actions: { type: 'keep what was checked', params: ({ event }) => event.output } },
        ],
        onError: { target: 'settled', actions: 'keep failure' },
      },
    },
    awaitingApproval: {
      entry: 'tell: waiting',
      on: {
        allow: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.digest },
          target: 'queued',
          actions: assign(({ event }) => ({
            decidedBy: 'person' as const,
            ...(event.remember !== undefined && { remember: event.remember }),
            ...(event.word !== undefined && { word: event.word }),
          })),
        },
        granted: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.call.digest },
          target: 'queued',
          actions: assign(({ event }) => ({ call: event.call })),
        },
        deny: denyTransitions,
        recall: recallTransitions,
        edit: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.digest },
          target: 'revising',
          actions: { type: 'keep what is wanted', params: ({ event }) => event.args },
        },
      },
    },
    // Edited arguments pass every check again. Then the call asks again, whatever the policy says. Nothing can be allowed meanwhile, and a
    // rejected edit leaves the call as it was.
    revising: {
      entry: 'tell: revising',
      invoke: {
        id: 'revise',
        src: 'check',
        input: ({ context: { request, proof, manual, wanted, original = {} } }) => ({
          ...{ request, proof, manual },
          edited: { args: wanted, original },
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.type === 'refused',
            target: 'awaitingApproval',
            actions: {
              type: 'answer the edit',
              params: ({ event: { output } }) =>
                output.type === 'refused'
                  ? { message: output.result.message, ...(output.parameter !== undefined && { parameter: output.parameter }) }
                  : undefined,
            },
          },
          {
            target: 'awaitingApproval',
            actions: [
              { type: 'keep what was checked', params: ({ event }) => event.output },
              { type: 'answer the edit', params: undefined },
            ],
          },
        ],
        onError: {
          target: 'awaitingApproval',
          actions: { type: 'answer the edit', params: ({ context }) => ({ message: context.failed }) },
        },
      },
      on: { deny: denyTransitions },
    },
    queued: {
      entry: 'tell: queued',
      on: { start: 'authorizing', recall: recallTransitions },
    },
    // Only under `rehearse`: repeats the dry run and shows the new effects. An earlier approval does not cover them.
    dryRunning: {
      entry: 'tell: looked at again',
      invoke: {
        id: 'dryRun',
        src: 'dryRun',
        input: ({ context: { call, ticket, recalled } }) => ({ call: call as Call, ticket: ticket as object, why: recalled }),
        onDone: { target: 'awaitingApproval', actions: { type: 'keep how it would be', params: ({ event }) => event.output } },
        onError: { target: 'settled', actions: 'keep failure' },
      },
      on: { deny: denyTransitions },
    },
    authorizing: {
      invoke: {
        id: 'authorize',
        src: 'authorize',
        input: ({ context: { call, ticket, remember } }) => ({
          call: call as Call,
          ticket: ticket as object,
          ...(remember !== undefined && { remember }),
        }),
        onDone: [
          {
            guard: ({ event }) => event.output.type === 'refused',
            target: 'settled',
            actions: assign(({ event }) => (event.output.type === 'refused' ? { result: event.output.result } : {})),
          },
          {
            guard: ({ event }) => event.output.type === 'differs',
            target: 'dryRunning',
            actions: { type: 'note why it is recalled', params: 'drift' },
          },
          { guard: ({ event }) => event.output.type === 'check-again', target: 'checking', actions: 'tell: looked at again' },
          { target: 'executing' },
        ],
        // A call that could not be recorded must not run: later, nothing would show that it did.
        onError: { target: 'settled', actions: 'keep failure' },
      },
    },
    executing: {
      entry: ['tell: executing', assign({ started: true })],
      invoke: {
        id: 'execute',
        src: 'execute',
        input: ({ context }) => ({ call: context.call as Call, ticket: context.ticket as object }),
        onDone: [
          {
            guard: ({ event }) => 'ask' in event.output,
            target: 'failed',
            actions: { type: 'keep how it came out', params: ({ event }) => event.output },
          },
          { target: 'recording', actions: { type: 'keep how it came out', params: ({ event }) => event.output } },
        ],
        onError: { target: 'recording', actions: 'keep failure' },
      },
    },
    // The failed call may have taken effect, so only the user can run it once more. The journal treats the second run as the same call.
    failed: {
      entry: 'tell: failed',
      on: {
        allow: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.digest },
          target: 'executing',
          actions: assign({ decidedBy: 'person' as const }),
        },
        deny: { guard: { type: 'it is about what was shown', params: ({ event }) => event.digest }, target: 'recording' },
      },
    },
    recording: {
      invoke: {
        id: 'record',
        src: 'record',
        input: ({ context }) => ({ call: context.call as Call, result: context.result as PublishedResult }),
        onDone: 'settled',
        // The effect has happened and its result is known, so a failing journal must not hide it.
        onError: 'settled',
      },
    },
    settled: { type: 'final', entry: 'tell: settled' },
  },
});

/** Returns the fields of `call.settled` that follow from the outcome. */
function consequences({
  request,
  proof,
  call,
  fate,
  conclusion = {},
}: ToolCallContext): Partial<ConversationEvent & { type: 'call.settled' }> {
  const { advice, disable, instead } = conclusion;
  const known = conclusion.fate ?? fate;
  return {
    ...(known && { fate: known }),
    ...(advice !== undefined && { advice }),
    ...(disable && { disable }),
    ...(instead !== undefined && { fallbackCall: { request: standInFor(request, instead, call), proof } }),
  };
}

/**
 * Creates the request of a fallback call. It has the arguments that ran, which the user or the host may have changed, and the flags of the
 * failed call.
 */
function standInFor({ requestId, arguments: written, flags, protocol }: ParsedCall, toolName: string, call?: Call): ParsedCall {
  return {
    ...{ requestId: `${requestId}-instead`, toolName, arguments: call?.args ?? written, raw: '', flags, protocol },
    standsInFor: requestId,
  };
}
