/** The types that the parts which read one reply share, and the ids of its calls. */
import type { WireEvent } from '../../transports/wire.js';
import type { ConversationEvent, ReplyInput } from '../chart/chart-context.js';
import type { ConversationServices } from '../chart/services.js';
import type { PromptContext } from '../request/prompt-input.js';
import type { Budget } from '../request/token-budget.js';
import type { CurrentReply } from './current-reply.js';
import type { Connection } from './connection.js';
import type { DegradedModes } from './degrade.js';
import type { StreamingReply } from './streaming-reply.js';
import type { SharedState } from './shared-state.js';

/** The parts with which replies are read, one after the other. */
export interface ReplyParts {
  arriving: CurrentReply;
  budget: Budget;
  degrading: DegradedModes;
  connection: Connection;
  shared: SharedState;
  /** Returns the edition of the answers in the cache that may be used. */
  edition(): number;
  /** Returns true if another page resumes the reply that ends here. */
  handedOn(): boolean;
}

export interface ReplyDependencies extends ConversationServices, PromptContext, ReplyParts {
  createId(): string;
  /** Called when visible text was added. */
  onText(text: string): void;
  /** Called when the reply is over, with all of its visible text. */
  onTextEnd(text: string): void;
  /**
   * Called when a call began or grew. That is a few times a second at most, because each call costs as much as what has arrived. `partial`
   * is true until the call is complete.
   */
  onCall(call: { requestId: string; name: string; params: Record<string, unknown>; partial: boolean }): void;
  /** Checks whether the call runs or has run. */
  hasBegun(requestId: string): boolean;
  /** Resolves when the call has its final status. */
  whenSettled(requestId: string): Promise<void>;
}

/** The context in which one reply is read. */
export interface Reading {
  input: ReplyInput;
  /** The protocol by which this reply is read. */
  protocolId: string;
  dependencies: ReplyDependencies;
  live: StreamingReply;
  ids: CallIds;
  sendBack(event: ConversationEvent): void;
  isStopped(): boolean;
  /** Closes the connection, because the rest of the reply is not wanted (`after-call`). */
  close(): void;
}

export type ToolPiece = WireEvent & { type: 'tool' };

/** Gives each call its own id if a host's protocol or a service repeats one, so that no id ever runs twice. */
interface CallIds {
  /** Creates an id for our own parsers. */
  mint(): string;
  /** Returns our id for this one, and the same id again until it is forgotten. */
  of(id: string | undefined): string;
  /** Called when the call is complete. If the same id comes again, it is another call. */
  forget(id: string | undefined): void;
}

export function createCallIds(createId: () => string): CallIds {
  const minted = new Set<string>();
  const renamed = new Map<string, string>();
  return {
    mint() {
      const id = createId();
      minted.add(id);
      return id;
    },
    of(id) {
      if (id === undefined) return createId();
      if (minted.has(id)) return id;
      const ours = renamed.get(id) ?? createId();
      renamed.set(id, ours);
      return ours;
    },
    forget(id) {
      if (id !== undefined && !minted.delete(id)) renamed.delete(id);
    },
  };
}
