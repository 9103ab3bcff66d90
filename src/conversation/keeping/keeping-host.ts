/** What keeping a conversation needs of it, and what it offers in return. */
import type { ConversationDesk, KeptPart } from '../../model/session.js';
import type { Feedback } from '../../model/messages.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Journal } from '../../storage/journal.js';
import type { GrantsDoor } from '../calls/call-actors.js';
import type { Undoing } from '../calls/undo.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import type { TurnQueue } from '../host/turn-queue.js';
import type { Turns } from '../host/turns.js';
import type { ArrivingReply } from '../reply/arriving-reply.js';
import type { Surroundings } from '../view/message-view.js';

/** What is kept, and what a request of another tab is about. */
export interface KeptThings {
  queue: TurnQueue;
  arriving: ArrivingReply;
  grants: GrantsDoor;
  undoing: Undoing;
  /** The host's `clear()`, or `forget()`. */
  clear(all: boolean): Promise<void>;
  /** What is under way ends here, and what is remembered is not written any more. */
  stop(): void;
  /** Forgets what was summed up of a conversation. */
  forgetSession(sessionId: string): Promise<void>;
}

/** What another tab is doing, as this one draws it. */
export interface Shown {
  context: ConversationContext;
  around: Pick<Surroundings, 'live' | 'phase' | 'activities' | 'queue' | 'grants'>;
  /** Messages with a call that waited here and was answered there. */
  handled: ReadonlySet<string>;
}

/** What tabs ask the one that leads. Nothing of it allows anything. */
export type TabRequest =
  | { type: 'stop' | 'sendResults' }
  | { type: 'unqueue'; at: number; text: string }
  | { type: 'revoke'; grantId: string }
  | { type: 'rate'; messageId: string; feedback: Feedback | null }
  | { type: 'deny'; requestId: string; digest: string }
  | { type: 'undo'; requestId: string; back: boolean };

export interface Keeping {
  readonly journal: Journal;
  /** Whether what is granted can outlive the page. */
  readonly lasting: boolean;
  /** The conversations beside this one. */
  readonly desk: ConversationDesk;
  readonly shown: Shown | undefined;
  /** The end of a long conversation, while the rest is still to be read (`readOn`): for the screen, and nobody else. */
  readonly end: ConversationContext | undefined;
  readOn(): void;
  /** The host may have set another `session-id`: that conversation opens. */
  look(): void;
  /** This page is left, or another tab leads, and what was arriving of a reply can be read on there. */
  readonly handedOn: boolean;
  /** What stood in the composer when the page was left, once that is known; '' before. */
  readonly draft: string;
  /** It is not known yet what there is. */
  readonly pending: boolean;
  /** Texts that wait for the conversation to be loaded. */
  readonly waiting: readonly string[];
  /** A message that waits is not sent: the one at this place of what is shown. Undefined where the queue of this tab has it; else whether it was withdrawn. */
  unqueue(at: number, text: string): boolean | undefined;
  /** Keeps something with the conversation, under a name of its own. `load` is called once it is known, if there is anything. */
  keep(name: string, part: KeptPart): void;
  write(draft: string): void;
  /**
   * Begins once the conversation is put together. The turns are the same, wherever they have to happen. `carry`: what stands in the chart is
   * kept from now on, at a place that it finds.
   */
  begin(chart: Chart, things: KeptThings, turns: Turns, carry?: Carry): Turns;
  /** True when another tab is asked instead. */
  elsewhere(request: TabRequest): boolean;
  /** Forgets what is stored, wherever; with `all` also what outlives `clear()`. Rejects with a `StorageError` when it is not gone. */
  clear(all: boolean): Promise<void>;
  /** Resolves when it is known what there is. */
  ready(): Promise<void>;
  /** What is shown while another tab leads, or while this one has read no more than the end. */
  decorate(view: ViewSnapshot, draw: (context: ConversationContext) => ViewSnapshot): ViewSnapshot;
  /** The element has left the page: another may go on. The next use comes back. */
  pause(): void;
  /** Whether what stands in the chart is all there is: no other tab has the conversation. */
  takeOver(): Promise<boolean>;
  /** Resolves when what the chart says is stored, or could not be; at once where nothing is. `false`: it could not. */
  written(): Promise<boolean>;
  /** The conversation is over here; what is stored stays. Resolves when everything is written. */
  close(): Promise<void>;
  /** After that: another conversation takes its place. */
  forgetParts(): void;
}

/** Turns that wait until the conversation is where the next one is to be kept. */
export const gatedTurns = ['send', 'sendByPerson', 'runTool', 'retry', 'runAgain', 'edit'] as const;
export type GatedTurn = (typeof gatedTurns)[number];

/** Finds a place that nothing else is kept at. `at` tries one. */
export type Carry = <One extends Tried>(at: (sessionId: string) => One) => Promise<One>;

export interface Tried {
  /** What stands in the chart is kept there now. */
  readonly carried: boolean;
  ready(): Promise<void>;
  close(): Promise<void>;
}
