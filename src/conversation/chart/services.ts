/** Services for every part of a conversation. They are created first and complete, so that no part waits for another. */
import type { Actor } from 'xstate';
import type { Log } from '../../base/logging.js';
import type { Texts } from '../../i18n/en.js';
import type { CardView } from '../../model/calls.js';
import type { Decide } from '../../tools/decide.js';
import type { Grants } from '../../tools/grant-rules.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { SetTimer } from '../../transports/read-reply.js';
import type { Wire } from '../../transports/wire.js';
import type { Settings } from '../options/settings.js';
import type { CallRecord, ParsedCall, ConversationEvent } from './chart-context.js';
import type { Clock } from './clock.js';
import type { conversationMachine } from './conversation-machine.js';
import type { HostListener } from './hooks.js';
import type { Notices } from './notices.js';
import type { Privacy } from './private-values.js';

export type Chart = Actor<typeof conversationMachine>;

export interface StorageLocation {
  readonly storage: Settings['storage'];
  /** The option `session-id`, as the host has set it. */
  readonly name: string;
  /** Id of the conversation that the host names. Further conversations get ids derived from it. */
  readonly firstSession: string;
}

export interface NextStorageLocation extends StorageLocation {
  /**
   * True if the conversation moves to the new storage. Otherwise another one is opened, perhaps of another user, and nothing of this one
   * may be shown or done there.
   */
  readonly carries: boolean;
}

export interface ConversationServices extends ConversationBus {
  readonly log: Log;
  readonly clock: Clock;
  /** Starts a wait on the clock and returns its cancel function. */
  readonly setTimer: SetTimer;
  readonly registry: ToolRegistry;
  /** The wires that the host registered. */
  readonly wires: Wire[];
  readonly notices: Notices;
  /** The storage of the conversation. A change by the host takes effect with the next turn (`nextLocation`). */
  readonly storage: StorageLocation['storage'];
  /** Id of the open conversation. */
  readonly sessionId: string;
  readonly firstSession: StorageLocation['firstSession'];
  /** Sets the conversation that all further messages belong to. */
  openSession(id: string): void;
  /** Returns where the host wants the next turn saved; undefined if that has not changed. */
  nextLocation(): NextStorageLocation | undefined;
  moveTo(place: StorageLocation): void;
  /** The number of conversations that were opened here so far, from 0. */
  readonly opened: number;
  /** Counts another opened conversation. */
  openedAnother(): void;
  /** Returns the texts of the current language. */
  texts(): Texts;
  /** Returns the current settings. `over` previews other values. The protocol is chosen here, for the whole turn. */
  settings(over?: Partial<Settings>): Settings;
  /** Returns the host's approval logic, if it has any. */
  decide(): Decide | undefined;
  /** Checks whether there is a user to ask. */
  hasUser(): boolean;
  notifyHost: HostListener;
  /** Returns the option `protocol` as the host set it: `auto`, an id, or undefined. */
  protocol(): string | undefined;
  /** Hides private values in everything that leaves the page. */
  readonly privacy: Privacy;
  /** Checks whether a tool with sensitive values, which are never saved, is registered. */
  hasSecrets(): boolean;
  /** Notifies that the view has changed. */
  changed(): void;
}

/** Events between the parts of a conversation that do not go through the chart. Sender and listeners do not know each other. */
export interface BusEvents {
  /** The view has changed. */
  view: void;
  /** The view has changed, and ended calls may look different: a call was undone or edited, or its tool has changed. */
  cards: void;
  /** The leading tab has changed, or what another tab shows of the conversation. Listeners are notified immediately. */
  elsewhere: void;
  /** Data that is saved with the conversation has changed. */
  kept: void;
  /** The text of the arriving reply has grown. */
  text: void;
  /** The registered tools may have changed. */
  tools: void;
  /** A user to ask has become available. */
  person: void;
  /** A turn has ended, and the host was notified. */
  over: void;
  /** A call is checked. `tool` is its tool at this moment. */
  bound: { requestId: string; tool: ToolDefinition };
  /** The arguments of a call of a tool with `onArguments` have grown, or are complete. */
  written: { requestId: string; tool: ToolDefinition; params: Record<string, unknown>; partial: boolean };
  /** A tool has run successfully. `tool` is exactly the one that ran. */
  ran: { requestId: string; tool: ToolDefinition };
  /** The calls of an earlier page have replaced those in the chart. */
  restored: readonly CallRecord[];
  /** A tool reports its progress. */
  progress: { requestId: string; said: { fraction?: number; message?: string } };
  /** The user wants other arguments for a call. */
  edit: { requestId: string; digest: string; args: Readonly<Record<string, unknown>> };
  /** The user is changing this call, so no permission given with another call runs it. */
  asksAlone: string;
  /** The user's permissions beyond one call; not available before the first call. */
  grants: Grants;
  /** The factory of argument editing; not available before the first call. */
  editing: (chart: Chart, services: ConversationServices, runAgain: (request: ParsedCall) => Promise<unknown>) => EditsOf;
  /** Download progress of a model that runs in the page, 0 to 1. */
  loaded: number;
}

/** The card's fields about the editing of its call. */
export type EditView = Pick<CardView, 'edit' | 'edited' | 'repeats' | 'repeatedBy' | 'repeated'>;

export type EditsOf = (record: CallRecord) => EditView;

/** The value for calls that were not and cannot be edited; always the same object. */
export const NO_EDIT: EditView = Object.freeze({});

/** A built-in feature, set up with `use` like a host's plugin. */
export interface FeaturePart {
  readonly name: string;
  /** @returns the function that removes it */
  setup(): () => void;
}

export interface ConversationBus {
  emit<Name extends keyof BusEvents>(name: Name, ...what: BusEvents[Name] extends void ? [] : [BusEvents[Name]]): void;
  /** @returns the function that unsubscribes */
  on<Name extends keyof BusEvents>(name: Name, listener: (what: BusEvents[Name]) => void): () => void;
}

export function createConversationBus(): ConversationBus {
  const listeners = new Map<string, Set<(what: never) => void>>();
  return {
    emit(name, ...[what]) {
      for (const listen of listeners.get(name) ?? []) listen(what as never);
    },
    on(name, listener) {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
  };
}

/** Sends an event to the chart, unless the chart was stopped. */
export function sendEvent(chart: Chart, event: ConversationEvent): void {
  if (chart.getSnapshot().status === 'active') chart.send(event);
}

/** Returns the tool with the name that the model writes under the current protocol. */
export const toolNamed = (chart: Chart, { registry, protocol }: ConversationServices, name: string): ToolDefinition | undefined =>
  registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? protocol());
