/** What every part of a conversation may use: made first and whole, so that no part waits for another to be made. */
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
import type { TellHost } from './hooks.js';
import type { Notices } from './notices.js';
import type { Privacy } from './private-values.js';

export type Chart = Actor<typeof conversationMachine>;

export interface HomePlace {
  readonly storage: Settings['storage'];
  /** `session-id`, as the host has set it. */
  readonly name: string;
  /** The conversation that the host names; those that are begun beside it have names made of it. */
  readonly firstSession: string;
}

export interface NextHome extends HomePlace {
  /** The conversation goes along; else another one is opened, perhaps of another user, and nothing of this one is seen or done there. */
  readonly carries: boolean;
}

export interface Services extends Happenings {
  readonly log: Log;
  readonly clock: Clock;
  /** The clock's, as a function that returns what stops the wait. */
  readonly setTimer: SetTimer;
  readonly registry: ToolRegistry;
  /** The host's own. */
  readonly wires: Wire[];
  readonly notices: Notices;
  /** Where it is kept; what the host sets counts from the next turn (`nextPlace`). */
  readonly storage: HomePlace['storage'];
  /** The conversation that is open. */
  readonly sessionId: string;
  readonly firstSession: HomePlace['firstSession'];
  /** From now on, all that is said belongs to this one. */
  openSession(id: string): void;
  /** Where the host wants the next turn kept; undefined = where it is. */
  nextPlace(): NextHome | undefined;
  moveTo(place: HomePlace): void;
  /** Counts the conversations that were opened here, from 0. */
  readonly opened: number;
  /** Another one is open now. */
  openedAnother(): void;
  /** In the language of now. */
  texts(): Texts;
  /** As they are now; `over` is for looking at what they would be. The protocol is chosen here, for the whole of a turn. */
  settings(over?: Partial<Settings>): Settings;
  /** The host's gate, if it has one. */
  decide(): Decide | undefined;
  /** Whether there is somebody to ask. */
  hasPerson(): boolean;
  tell: TellHost;
  /** As the host set it: `auto`, a protocol's id, or nothing. */
  protocol(): string | undefined;
  /** What leaves the page passes it. */
  readonly privacy: Privacy;
  /** Whether a tool with values that are not to be kept is registered. */
  hasSecrets(): boolean;
  /** The view is another one. */
  changed(): void;
}

/** What parts let one another know beside the chart: whoever cares listens, and the one who tells knows nobody. */
export interface Happening {
  /** The view is another one. */
  view: void;
  /** So it is, and calls that have ended may look otherwise: one of them is undone or edited, or its tool is another one. */
  cards: void;
  /** Who leads the conversation, or what another tab shows of it: whoever listens is told at once. */
  elsewhere: void;
  /** Something that is kept with the conversation is another one. */
  kept: void;
  /** The text of the reply that arrives has grown. */
  text: void;
  /** There may be other tools. */
  tools: void;
  /** From now on there is somebody to ask. */
  person: void;
  /** A turn is over, and its host was told. */
  over: void;
  /** A call is looked at: the tool it is about, as it is now. */
  bound: { requestId: string; tool: ToolDefinition };
  /** The arguments of a call of a tool with `onArguments` have grown, or are complete. */
  written: { requestId: string; tool: ToolDefinition; params: Record<string, unknown>; partial: boolean };
  /** A tool has done its work: exactly this one. */
  ran: { requestId: string; tool: ToolDefinition };
  /** Calls of a page that is gone stand in the chart, in place of those before. */
  restored: readonly CallRecord[];
  /** A tool says how far it has come. */
  progress: { requestId: string; said: { fraction?: number; message?: string } };
  /** A person wants a call with other arguments. */
  edit: { requestId: string; digest: string; args: Readonly<Record<string, unknown>> };
  /** What a person grants beyond one call; there is none before the first call. */
  grants: Grants;
  /** What lets a person change arguments; there is none before the first call. */
  editing: (chart: Chart, services: Services, runAgain: (request: ParsedCall) => Promise<unknown>) => EditsOf;
  /** A model that has to be fetched first has come this far, 0 to 1. */
  loaded: number;
}

/** What a card shows of the editing of its call. */
export type EditView = Pick<CardView, 'edit' | 'edited' | 'repeats' | 'repeatedBy' | 'repeated'>;

export type EditsOf = (record: CallRecord) => EditView;

/** Nothing was edited, and nothing can be: always this object. */
export const NO_EDIT: EditView = Object.freeze({});

/** A feature enters by the same door as a host's plugin: `use`. */
export interface FeaturePart {
  readonly name: string;
  /** @returns what takes it back */
  setup(): () => void;
}

export interface Happenings {
  happens<Name extends keyof Happening>(name: Name, ...what: Happening[Name] extends void ? [] : [Happening[Name]]): void;
  /** @returns what stops the listening */
  when<Name extends keyof Happening>(name: Name, listener: (what: Happening[Name]) => void): () => void;
}

export function createHappenings(): Happenings {
  const listeners = new Map<string, Set<(what: never) => void>>();
  return {
    happens(name, ...[what]) {
      for (const listen of listeners.get(name) ?? []) listen(what as never);
    },
    when(name, listener) {
      const all = listeners.get(name) ?? new Set();
      listeners.set(name, all.add(listener));
      return () => void all.delete(listener);
    },
  };
}

/** A chart that was stopped hears nothing any more. */
export function say(chart: Chart, event: ConversationEvent): void {
  if (chart.getSnapshot().status === 'active') chart.send(event);
}

/** A tool by the name the model writes under the protocol of now. */
export const toolNamed = (chart: Chart, { registry, protocol }: Services, name: string): ToolDefinition | undefined =>
  registry.get(name, chart.getSnapshot().context.turn?.settings.protocol ?? protocol());
