/** What the keeper of a conversation is given, and what it offers (`keeper.ts`, which loads where `storage` is set). */
import type { TurnResult } from '../../model/messages.js';
import type { KeptPart } from '../../model/session.js';
import type { RequestWatch } from '../../storage/tabs.js';
import type { Journal } from '../../storage/journal.js';
import type { ConversationContext } from '../chart/chart-context.js';
import type { Turns } from '../host/turns.js';
import type { KeptThings, Shown, TabRequest, Tried } from './keeping-host.js';
import type { TabTurn } from './tab-requests.js';

export interface KeeperHost extends KeptThings {
  parts: ReadonlyMap<string, KeptPart>;
  turns: Turns;
  /** The host's own; instead of the one that goes with the storage. */
  journal: Journal | undefined;
  /** What stands in the chart is to be kept, and nothing to be taken up. */
  carries: boolean;
  restoreDraft(text: string): void;
}

export interface Keeper extends Tried {
  /** This tab may act, and has everything it needs for it. */
  readonly leads: boolean;
  /** Another tab leads. */
  readonly follows: boolean;
  /** What another tab is doing; undefined while this one leads. */
  readonly shown: Shown | undefined;
  /** The end of a long conversation, while the rest is still to be read: to be looked at, and nothing more. */
  readonly end: ConversationContext | undefined;
  /** Reads the rest. */
  readOn(): void;
  readonly journal: Journal;
  /** It leads no more, and whoever leads next can read on the reply that was arriving. */
  readonly handedOn: boolean;
  /** With `restMs` it may wait until there was nothing of the kind for so long. */
  changed(restMs?: number): void;
  /** A part of this name came after the conversation was loaded. */
  added(name: string): void;
  ask(request: TabRequest): Promise<unknown>;
  /** Rejects when no tab took it: then it is never begun. */
  send(request: TabTurn, watch?: RequestWatch): Promise<TurnResult>;
  /** The user is told that the tab that leads does not answer. */
  tellSilent(): void;
  /** How a turn that was begun here ended, wherever that was. */
  endOf(request: TabTurn, result: TurnResult): Promise<TurnResult>;
  /** Whether this tab leads now. */
  takeOver(): Promise<boolean>;
  /** After a click on a card that another tab holds: the conversation comes here, and the card asks again. */
  moveHere(): Promise<void>;
  clear(all: boolean): Promise<void>;
  pause(): void;
  /** Resolves when everything is written, or has failed: `true` if it is written. */
  written(): Promise<boolean>;
  /** Nothing of this conversation is left in what others hold of it. */
  forgetParts(): void;
}
