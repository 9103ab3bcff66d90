/** Conversations against the fault server: what was asked, what ran, what the host was told. Node only. */
import { after, afterEach, before } from 'mocha';
import { expect } from 'chai';
import { approvalDigest } from '../../src/model/approval-digest.js';
import type { CardView, PublishedResult, Risk } from '../../src/model/calls.js';
import { createConversation, type Conversation, type ConversationOptions } from '../../src/conversation/conversation.js';
import type { HostEvent } from '../../src/conversation/chart/hooks.js';
import { internalsOf } from '../../src/conversation/host/internals.js';
import type { ViewSnapshot } from '../../src/model/snapshot.js';
import type { LogEntry } from '../../src/base/log.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { watchOf } from '../helpers/canaries/canaries.js';
import { watchedOptions } from '../helpers/canaries/conversation.js';
import { createFaultServer, type LoggedRequest } from '../helpers/fault-server/fault-server.mjs';

export { call } from './scripted-fetch.js';

const faults = createFaultServer();
let origin = '';
let scripts = 0;
let users = 0;
const open: Talk[] = [];
const accidents: unknown[] = [];
const note = (error: unknown) => void accidents.push(error);

/** Starts the server for a file of tests. After each test nothing may have gone wrong unheard, and, if asked, each talk at rest has settled well. */
export function useFaultServer({ settles = false } = {}): void {
  before(async () => {
    users += 1;
    if (!origin) origin = `http://127.0.0.1:${String((await faults.listen()).port)}`;
    process.on('unhandledRejection', note);
    process.on('uncaughtException', note);
  });
  afterEach(async () => {
    const talks = open.splice(0);
    const isOver = ({ chat, isStored }: Talk) =>
      !isStored && chat.state === 'idle' && !chat.isLoading && !chat.messages.some(({ metadata }) => metadata.imported);
    if (settles) for (const one of talks.filter(isOver)) await settlesWell(one);
    for (const { chat } of talks) chat.dispose();
    await tick();
    if (!process.env['CANARIES']) expect(watchOf().leaks.splice(0), 'private values that left').to.deep.equal([]);
    expect(accidents.splice(0), 'errors that nobody heard').to.deep.equal([]);
    expect(Object.keys(Object.prototype), 'Object.prototype').to.deep.equal([]);
  });
  after(async () => {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
    users -= 1;
    if (users === 0) await faults.close();
    if (users === 0) origin = '';
  });
}

/** One reply of the model, and the faults with which it is sent. */
export type ScriptedTurn = string | { text: string; q?: string; times?: number };

export interface Body {
  system: string;
  messages: { role: string; text: string }[];
}

export interface Run {
  name: string;
  args: Record<string, unknown>;
  startedAt: number;
  endedAt: number;
  context: ToolContext;
}

export interface Talk {
  chat: Conversation;
  /** It may have begun on another page. */
  isStored: boolean;
  events: HostEvent[];
  entries: LogEntry[];
  /** Tools that were started, in order. */
  runs: Run[];
  requests(): LoggedRequest[];
  /** All that was read of the model's text, shown or not; needs `logLevel: 'debug'`. */
  read(): string;
  /** What the model was sent, oldest first. */
  bodies(): Body[];
  /** Registers a tool that counts. */
  tool(name: string, more?: Partial<ToolDefinition>): () => void;
  /** The same with several tools that only count. */
  with(risks: Record<string, Risk>): Talk;
  view(): ViewSnapshot;
  cards(): CardView[];
  /** The cards that wait, once there are `count` of them. */
  asked(count?: number): Promise<CardView[]>;
  /** The first card that waits, as soon as there is one. */
  question(): Promise<CardView>;
  decide(verdict: 'allow' | 'deny', card: CardView, digest?: string): void;
  /** Waits for a question, and decides. */
  answer(verdict: 'allow' | 'deny'): Promise<void>;
  /** Waits until the turn is over. */
  rest(): Promise<void>;
  send(text?: string): ReturnType<Conversation['sendMessage']>;
  names(): string[];
}

export interface TalkOptions extends Partial<ConversationOptions> {
  query?: string;
  /** Somebody can be asked. */
  person?: boolean;
  exhaust?: 'repeat' | 'error';
  /** `false`: no private values in the context, for tests of the very words that are sent. */
  canaries?: boolean;
  onEach?(event: HostEvent, talk: Talk): boolean | void;
}

export function talk(
  turns: ScriptedTurn[],
  { query = '', person = false, exhaust, canaries = true, onEach, ...options }: TalkOptions = {},
): Talk {
  const id = `c${String((scripts += 1))}`;
  faults.scripts.set(id, { turns: turns.map((turn) => (typeof turn === 'string' ? { text: turn } : { ...turn })), i: 0, exhaust });
  const events: HostEvent[] = [];
  const entries: LogEntry[] = [];
  const runs: Run[] = [];
  const settings: ConversationOptions = {
    endpoint: `${origin}/s/${id}/api/ai/chat/stream?wire=cutie&tok=7${query && `&${query}`}`,
    wire: 'cutie',
    logger: silent,
    logLevel: 'warn',
    onEvent(event) {
      if (event.type === 'log') entries.push(event.entry);
      else events.push(event);
      return event.type === 'log' ? true : (onEach?.(event, self) ?? true);
    },
    ...options,
  };
  // Where the whole run has canaries, every conversation is watched already.
  const chat = createConversation(canaries && !process.env['CANARIES'] ? watchedOptions(settings) : settings);
  const internals = internalsOf(chat);
  if (person) internals.attachPerson();
  const cards = () => Object.values(internals.surface.view.cards);
  const requests = () => faults.log.filter(({ url }) => url.startsWith(`/s/${id}/`));
  const self: Talk = {
    chat,
    isStored: options.storage !== undefined,
    events,
    entries,
    runs,
    requests,
    read: () => entries.flatMap(({ code, context }) => (code === 'stream.chunk' ? [(context as { text: string }).text] : [])).join(''),
    bodies: () => requests().map(({ body }) => JSON.parse(body) as Body),
    tool(name, more = {}) {
      const { execute, ...rest } = more;
      return chat.registerTool({
        name,
        description: `Does ${name}.`,
        risk: 'write',
        parameters: { type: 'object', properties: { title: { type: 'string' } } },
        ...(rest as object),
        async execute(args: Record<string, unknown>, context: ToolContext) {
          const run: Run = { name, args, context, startedAt: performance.now(), endedAt: NaN };
          runs.push(run);
          try {
            return execute ? await execute(args, context) : { success: true, message: `${name} done` };
          } finally {
            run.endedAt = performance.now();
          }
        },
      });
    },
    with(risks) {
      for (const [name, risk] of Object.entries(risks)) self.tool(name, { risk });
      return self;
    },
    view: () => internals.surface.view,
    cards,
    async asked(count = 1) {
      const waiting = () => cards().filter(({ status }) => status === 'awaiting_approval');
      await until(() => waiting().length === count, `${String(count)} waiting cards`);
      return waiting();
    },
    async question() {
      const waiting = () => cards().find(({ status }) => status === 'awaiting_approval');
      await until(waiting, 'a question');
      return waiting()!;
    },
    answer: async (verdict) => self.decide(verdict, await self.question()),
    rest: () => until(() => !chat.isLoading, 'the end'),
    decide(verdict, card, digest = card.call ? approvalDigest(card.call) : '') {
      internals.decide({ requestId: card.requestId, digest, verdict });
    },
    send: (text = 'hello') => chat.sendMessage(text),
    names: () => events.map((event) => (event.type === 'state-change' ? event.state : event.type)),
  };
  open.push(self);
  return self;
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits for a condition, never for a time. */
export async function until(condition: () => unknown, what: string, within = 20_000): Promise<void> {
  for (const end = performance.now() + within; !condition(); await new Promise((resolve) => setTimeout(resolve, 1)))
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
}

/** A promise and what settles it. */
export function deferred<Value = void>(): { promise: Promise<Value>; resolve(value: Value): void; reject(error: unknown): void } {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<Value>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

const terminal = ['success', 'undone', 'error', 'denied', 'cancelled', 'interrupted'];

/** Idle, every call with one end and one message about it, in the order of the text, every turn begun and ended once. */
export async function settlesWell({ chat, cards, events, view }: Talk): Promise<void> {
  expect([chat.state, chat.isLoading]).to.deep.equal(['idle', false]);
  for (const { requestId, status } of cards()) {
    expect(terminal, `status of ${requestId}`).to.include(status);
    const ends = events.filter((event) => event.type === 'tool-complete' && event.requestId === requestId);
    const told = chat.messages.filter((message) => message.metadata.toolCall?.requestId === requestId);
    expect(told, `messages about ${requestId}`).to.have.length(1);
    expect(ends, `ends of ${requestId}`).to.have.length(1);
  }
  const order = view().views.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.requestId] : [])));
  expect(chat.messages.flatMap(({ metadata }) => (metadata.toolCall ? [metadata.toolCall.requestId] : []))).to.deep.equal(order);
  expect(order.every((id) => cards().some(({ requestId }) => requestId === id))).to.equal(true);
  expect(chat.messages.some(({ status }) => status.type === 'running')).to.equal(false);
  expect(events.filter(({ type }) => type === 'stream-start').length).to.equal(events.filter(({ type }) => type === 'stream-end').length);
}

export const statuses = (results: readonly PublishedResult[]): string[] => results.map(({ status }) => status);
