/** What keeping a conversation needs of it, and what it offers in return. */
import type { Actor } from 'xstate';
import type { Log } from '../../base/logging.js';
import type { Texts } from '../../i18n/en.js';
import type { KeptPart } from '../../model/session.js';
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Journal } from '../../storage/journal.js';
import type { Grants } from '../../tools/grant-rules.js';
import type { ToolDefinition } from '../../tools/tool.js';
import type { ConversationContext, ConversationEvent } from '../chart/chart-context.js';
import type { conversationMachine } from '../chart/conversation-machine.js';
import type { TellHost } from '../chart/hooks.js';
import type { Notices } from '../chart/notices.js';
import type { TurnQueue } from '../host/turn-queue.js';
import type { Turns } from '../host/turns.js';
import type { Settings } from '../options/settings.js';
import type { LiveReply } from '../reply/live-reply.js';
import type { Surroundings } from '../view/view.js';

export interface KeepingHost {
  storage: Settings['storage'];
  sessionId: string;
  /** The host's own; instead of the one that goes with the storage. */
  journal: Journal | undefined;
  log: Log;
  queue: TurnQueue;
  notices: Notices;
  tell: TellHost;
  chart(): Actor<typeof conversationMachine>;
  texts(): Texts;
  settings(): Settings;
  live(): LiveReply | null;
  toolNamed(name: string): ToolDefinition | undefined;
  /** Whether a tool with values that are not to be kept is registered. */
  hasSecrets(): boolean;
  grants(): Grants | undefined;
  openGrants(): Promise<Grants>;
  say(event: ConversationEvent): void;
  undo(requestId: string, back: boolean): void;
  /** The host's `clear()`, or `forget()`. */
  clear(all: boolean): Promise<void>;
  /** The view is another one. */
  changed(): void;
}

/** What another tab is doing, as this one draws it. */
export interface Shown {
  context: ConversationContext;
  around: Pick<Surroundings, 'live' | 'activities' | 'queue' | 'grants'>;
  /** Messages with a call that waited here and was answered there. */
  handled: ReadonlySet<string>;
}

/** What tabs ask the one that leads. Nothing of it allows anything. */
export type TabRequest =
  { type: 'stop' | 'sendResults' } | { type: 'revoke'; grantId: string } | { type: 'undo'; requestId: string; back: boolean };

export interface Keeping {
  readonly journal: Journal;
  /** Whether what is granted can outlive the page. */
  readonly lasting: boolean;
  readonly shown: Shown | undefined;
  /** This page is left, or another tab leads, and what was arriving of a reply can be read on there. */
  readonly handedOn: boolean;
  /** What stood in the composer when the page was left, once that is known; '' before. */
  readonly draft: string;
  /** It is not known yet what there is. */
  readonly pending: boolean;
  /** Texts that wait for the conversation to be loaded. */
  readonly waiting: readonly string[];
  /** Keeps something with the conversation, under a name of its own. `load` is called once it is known, if there is anything. */
  keep(name: string, part: KeptPart): void;
  /** Something that is kept has changed. */
  changed(): void;
  write(draft: string): void;
  /** The same, wherever it has to happen. */
  guard(turns: Turns): Turns;
  /** True when another tab is asked instead. */
  elsewhere(request: TabRequest): boolean;
  /** Forgets what is stored, wherever; with `all` also what outlives `clear()`. Rejects with a `StorageError` when it is not gone. */
  clear(all: boolean): Promise<void>;
  /** Resolves when it is known what there is. */
  ready(): Promise<void>;
  /** What is shown while another tab leads. */
  decorate(view: ViewSnapshot): ViewSnapshot;
  /** The element has left the page: another may go on. The next use comes back. */
  pause(): void;
  /** The conversation is over here; what is stored stays. */
  close(): void;
}
