/**
 * One tool call, from the moment it is complete to its one terminal status. One actor a call; the conversation only counts them.
 * The checks, the journal and the tool itself come in by `.provide()`; nothing but this chart starts a tool.
 */
import { assign, fromPromise, sendParent, setup } from 'xstate';
import type { Call, PublishedResult } from '../calls.js';
import { unsuccessful } from './call-changes.js';
import type { CallRequest, ConversationEvent, Proof } from './turn.js';

/** What a check says. `ticket` is what the checker needs to run exactly what was shown. */
export type Checked =
  | { type: 'refused'; result: PublishedResult; call?: Call }
  /** `untrusted`: whatever the tool answers is outside content. */
  | {
      type: 'checked';
      call: Call;
      verdict: 'allow' | 'ask';
      ticket: object;
      untrusted?: boolean;
      resources?: readonly string[];
      offers?: readonly string[];
    };

/** The journal's answer: only `start` starts an effect. */
export type Clearance = { type: 'start' } | { type: 'refused'; result: PublishedResult };

export interface ToolCallInput {
  request: CallRequest;
  manual: boolean;
  /** One sentence for people, should a check, the journal or a tool fail in a way that has no result of its own. */
  failed: string;
}

export interface ToolCallContext extends ToolCallInput {
  proof: Proof;
  call?: Call;
  ticket?: object;
  result?: PublishedResult;
  decidedBy: 'policy' | 'person';
  untrusted: boolean;
  resources: readonly string[];
  /** What a person can allow beyond this one call, in words. */
  offers: readonly string[];
  /** Which of them was chosen. */
  remember?: number;
  /** The tool was started. */
  started: boolean;
}

export type ToolCallEvent =
  /** The reply has ended: the call may be looked at. */
  | { type: 'release'; proof: Proof }
  | { type: 'allow'; digest: string; remember?: number }
  | { type: 'deny'; digest: string; result: PublishedResult }
  /** What a person allowed for another call covers this one, too. */
  | { type: 'granted'; call: Call }
  /** It is this call's turn. */
  | { type: 'start' };

const missing = (name: string) => () => {
  throw new Error(`Provide \`${name}\`.`);
};

export const toolCallMachine = setup({
  types: { context: {} as ToolCallContext, events: {} as ToolCallEvent, input: {} as ToolCallInput },
  actors: {
    check: fromPromise<Checked, { request: CallRequest; proof: Proof; manual: boolean }>(missing('check')),
    clear: fromPromise<Clearance, { call: Call; ticket: object; remember?: number }>(missing('clear')),
    execute: fromPromise<PublishedResult, { call: Call; ticket: object }>(missing('execute')),
    record: fromPromise<void, { call: Call; result: PublishedResult }>(missing('record')),
  },
  guards: {
    'it is about what was shown': ({ context }, digest: string) => digest === context.call?.digest,
  },
  actions: {
    'tell: queued': sendParent(({ context }): ConversationEvent => ({
      type: 'call.changed',
      requestId: context.request.requestId,
      status: 'queued',
      byPerson: context.decidedBy === 'person',
      resources: context.resources,
      ...(context.call && { call: context.call }),
    })),
    'tell: waiting': sendParent(({ context }): ConversationEvent => ({
      type: 'call.changed',
      requestId: context.request.requestId,
      status: 'awaiting_approval',
      offers: context.offers,
      resources: context.resources,
      ...(context.call && { call: context.call }),
    })),
    'tell: executing': sendParent(({ context }): ConversationEvent => ({
      type: 'call.changed',
      requestId: context.request.requestId,
      status: 'executing',
      started: true,
    })),
    'tell: settled': sendParent(({ context }): ConversationEvent => ({
      type: 'call.settled',
      requestId: context.request.requestId,
      result: context.result as PublishedResult,
      ...(context.call && { call: context.call }),
      // An error of an untrusted tool speaks with the same voice as its success.
      ...(context.started && context.untrusted && { tainted: true }),
    })),
    'keep result': assign({ result: (_, result: PublishedResult) => result }),
    'keep failure': assign({
      result: ({ context: { request, call, failed } }) =>
        unsuccessful(request.requestId, call?.toolName ?? request.toolName, 'error', 'EXECUTION_FAILED', failed),
    }),
    'keep what was checked': assign((_, checked: Checked) =>
      checked.type === 'checked'
        ? {
            call: checked.call,
            ticket: checked.ticket,
            untrusted: checked.untrusted === true,
            resources: checked.resources ?? [],
            offers: checked.offers ?? [],
          }
        : {},
    ),
  },
}).createMachine({
  id: 'toolCall',
  context: ({ input }) => ({
    ...input,
    proof: 'unproved',
    decidedBy: 'policy',
    untrusted: false,
    resources: [],
    offers: [],
    started: false,
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
        input: ({ context }) => ({ request: context.request, proof: context.proof, manual: context.manual }),
        onDone: [
          {
            guard: ({ event }) => event.output.type === 'refused',
            target: 'settled',
            actions: assign(({ event }) =>
              event.output.type === 'refused' ? { result: event.output.result, ...(event.output.call && { call: event.output.call }) } : {},
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
          })),
        },
        granted: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.call.digest },
          target: 'queued',
          actions: assign(({ event }) => ({ call: event.call })),
        },
        deny: {
          guard: { type: 'it is about what was shown', params: ({ event }) => event.digest },
          target: 'settled',
          actions: { type: 'keep result', params: ({ event }) => event.result },
        },
      },
    },
    queued: {
      entry: 'tell: queued',
      on: { start: 'clearing' },
    },
    clearing: {
      invoke: {
        id: 'clear',
        src: 'clear',
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
          { target: 'executing' },
        ],
        // What could not be written down does not happen: nobody would know of it afterwards.
        onError: { target: 'settled', actions: 'keep failure' },
      },
    },
    executing: {
      entry: ['tell: executing', assign({ started: true })],
      invoke: {
        id: 'execute',
        src: 'execute',
        input: ({ context }) => ({ call: context.call as Call, ticket: context.ticket as object }),
        onDone: { target: 'recording', actions: { type: 'keep result', params: ({ event }) => event.output } },
        onError: { target: 'recording', actions: 'keep failure' },
      },
    },
    recording: {
      invoke: {
        id: 'record',
        src: 'record',
        input: ({ context }) => ({ call: context.call as Call, result: context.result as PublishedResult }),
        onDone: 'settled',
        // The effect has happened and its result is known; a journal that fails now must not hide it.
        onError: 'settled',
      },
    },
    settled: { type: 'final', entry: 'tell: settled' },
  },
});
