/** The input and the interface of a conversation's keeper (`session-sync.ts`, which is loaded only if `storage` is set). */
import type { TurnResult } from '../../model/messages.js';
import type { KeptPart } from '../../model/session.js';
import type { RequestWatch } from '../../storage/tabs.js';
import type { Journal } from '../../storage/journal.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Turns } from '../host/turns.js';
import type { SessionDeps, DisplayedSession, TabRequest, LocationAttempt } from './persistence-types.js';
import type { TabTurn } from './outbox.js';

export interface SessionSyncHost extends SessionDeps {
  parts: ReadonlyMap<string, KeptPart>;
  turns: Turns;
  /** The host's own journal, used instead of the one that belongs to the storage. */
  journal: Journal | undefined;
  /** True if the chart's current content is to be saved and nothing is to be loaded. */
  carries: boolean;
  restoreDraft(text: string): void;
}

export interface SessionSync extends LocationAttempt {
  /** True if this tab may act and has everything it needs for that. */
  readonly leads: boolean;
  /** True if another tab leads. */
  readonly follows: boolean;
  /** The state of the leading tab; undefined while this one leads. */
  readonly shown: DisplayedSession | undefined;
  /** The end of a long conversation while the rest has not been read yet. For display only. */
  readonly end: ConversationContext | undefined;
  /** Reads the rest of the conversation. */
  readOn(): void;
  readonly journal: Journal;
  /** True if this tab no longer leads and the next leader can resume the reply that was streaming. */
  readonly handedOn: boolean;
  /** Saves a change. With `restMs`, saving may wait until there was no such change for that many milliseconds. */
  changed(restMs?: number): void;
  /** Hands over the stored data of a part that was registered after the conversation was loaded. */
  added(name: string): void;
  ask(request: TabRequest): Promise<unknown>;
  /** Rejects if no tab accepted the turn. It never starts in that case. */
  send(request: TabTurn, watch?: RequestWatch): Promise<TurnResult>;
  /** Tells the user that the leading tab does not answer. */
  tellSilent(): void;
  /** Returns how a turn of this tab ended, in whichever tab it ended. */
  endOf(request: TabTurn, result: TurnResult): Promise<TurnResult>;
  /** Takes the lead. Resolves with `true` if this tab leads now. */
  takeOver(): Promise<boolean>;
  /** Moves the conversation here after a click on a card that another tab holds. The card then asks again. */
  moveHere(): Promise<void>;
  clear(all: boolean): Promise<void>;
  pause(): void;
  /** Resolves when all writes have ended: with `true` if everything is written. */
  written(): Promise<boolean>;
  /** Removes the data of this conversation from the parts that hold it. */
  forgetParts(): void;
}
