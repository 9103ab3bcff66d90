/** The parts of a conversation that persistence needs, and the interface that it offers in return. */
import type { ConversationDesk, KeptPart } from '../../model/session.js';
import type { Feedback } from '../../model/messages.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Journal } from '../../storage/journal.js';
import type { LazyPermissions } from '../calls/call-actors.js';
import type { UndoController } from '../calls/undo.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Chart } from '../chart/services.js';
import type { TurnQueue } from '../host/turn-queue.js';
import type { Turns } from '../host/turns.js';
import type { CurrentReply } from '../reply/current-reply.js';
import type { ViewInputs } from '../view/message-view.js';

/** The state that is saved, and that requests of other tabs act on. */
export interface SessionDeps {
  queue: TurnQueue;
  arriving: CurrentReply;
  grants: LazyPermissions;
  undoing: UndoController;
  /** Calls the host's `clear()`, or its `forget()` if `all` is true. */
  clear(all: boolean): Promise<void>;
  /** Ends everything that is running. What was about to be remembered is no longer written. */
  stop(): void;
  /** Erases the summaries of a conversation. */
  forgetSession(sessionId: string): Promise<void>;
}

/** The state of the leading tab, as this tab displays it. */
export interface DisplayedSession {
  context: ConversationContext;
  around: Pick<ViewInputs, 'live' | 'phase' | 'activities' | 'queue' | 'grants' | 'undo'>;
  /** Ids of messages with a call that waited in this tab and was answered in the leading one. */
  handled: ReadonlySet<string>;
}

/** Requests that other tabs send to the leading one. None of them allows a call. */
export type TabRequest =
  | { type: 'stop' | 'sendResults' }
  | { type: 'unqueue'; at: number; text: string }
  | { type: 'revoke'; grantId: string }
  | { type: 'rate'; messageId: string; feedback: Feedback | null }
  | { type: 'deny'; requestId: string; digest: string }
  | { type: 'undo'; requestId: string; back: boolean };

export interface Persistence {
  readonly journal: Journal;
  /** True if permissions can outlive the page. */
  readonly lasting: boolean;
  /** The list of saved conversations. */
  readonly desk: ConversationDesk;
  readonly shown: DisplayedSession | undefined;
  /** The end of a long conversation while the rest has not been read yet (`readOn`). For display only. */
  readonly end: ConversationContext | undefined;
  readOn(): void;
  /** Opens another conversation if the host has set another `session-id`. */
  look(): void;
  /** True if this page was left or another tab leads, and the reply that was streaming can be resumed there. */
  readonly handedOn: boolean;
  /** The text that was in the composer when the page was left, once it is loaded; '' before. */
  readonly draft: string;
  /** True while it is not known yet what is stored. */
  readonly pending: boolean;
  /** The texts that wait for the conversation to be loaded. */
  readonly waiting: readonly string[];
  /**
   * Withdraws the waiting message at this position of the displayed queue. Returns undefined if it is in the queue of this tab; otherwise
   * whether it was withdrawn.
   */
  unqueue(at: number, text: string): boolean | undefined;
  /** Saves a part with the conversation, under its own name. `load` is called once the stored data is known, if there is any. */
  keep(name: string, part: KeptPart): void;
  write(draft: string): void;
  /**
   * Begins once the conversation is set up. Returns the same turns, which run in whichever tab they have to. `carry`: the chart's current
   * content is saved from now on, at a place that `carry` finds.
   */
  begin(chart: Chart, things: SessionDeps, turns: Turns, carry?: FindFreeLocation): Turns;
  /** Asks the leading tab instead. Returns `false` if there is none to ask and this tab has to act. */
  elsewhere(request: TabRequest): boolean;
  /**
   * Erases what is stored, in whichever tab leads; with `all` also what outlives `clear()`. Rejects with a `StorageError` if it could not
   * be erased.
   */
  clear(all: boolean): Promise<void>;
  /** Resolves when it is known what is stored. */
  ready(): Promise<void>;
  /** Adjusts the view while another tab leads, or while this one has read only the end of the conversation. */
  decorate(view: ViewSnapshot, draw: (context: ConversationContext) => ViewSnapshot): ViewSnapshot;
  /** Called when the element has left the page: another tab may continue. The next use rejoins. */
  pause(): void;
  /** Takes the lead. Resolves with `true` if the chart then holds the whole conversation, because no other tab has it. */
  takeOver(): Promise<boolean>;
  /** Resolves when the chart's state is stored, or with `false` if it could not be. Resolves at once if nothing is stored at all. */
  written(): Promise<boolean>;
  /** Ends the conversation in this tab; what is stored stays. Resolves when everything is written. */
  close(): Promise<void>;
  /** Called after that, if another conversation takes its place: removes the data of this one. */
  forgetParts(): void;
}

/** Turns that wait until the conversation is at the place where the next turn is to be saved. */
export const gatedTurns = ['send', 'sendByPerson', 'runTool', 'retry', 'runAgain', 'edit'] as const;
export type GatedTurn = (typeof gatedTurns)[number];

/** Finds a place where nothing else is stored. `at` tries one. */
export type FindFreeLocation = <One extends LocationAttempt>(at: (sessionId: string) => One) => Promise<One>;

export interface LocationAttempt {
  /** True if the chart's content is saved there now. */
  readonly carried: boolean;
  ready(): Promise<void>;
  close(): Promise<void>;
}
