/**
 * What is kept of a conversation: what it shows and needs to go on. Plain data, no settings, no secrets of the host; nothing in it can
 * start anything. What the statechart keeps fits these types as it is; fields they do not know are not stored.
 */
import type { Call, CardStatus, PublishedResult, TaintSource } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';

export const FORMAT = 'tool-chat-conversation';
export const VERSION = 1;

/** One call, settled or not. An approval is not part of it: nobody is asked to trust a stored one. */
export interface StoredCall {
  requestId: string;
  toolName: string;
  messageId: string;
  params: Readonly<Record<string, unknown>>;
  raw: string;
  flags: readonly string[];
  status: CardStatus;
  /** The tool was started: its effect may have happened. */
  started: boolean;
  /** The word by which a person allowed it, as it was written. */
  word?: string;
  /** Made by the host's `executeToolManually`. */
  manual: boolean;
  /** The notation it was written in. */
  protocol: string;
  providerId?: string;
  signature?: string;
  approval?: { id: string; reason?: string; keep?: object };
  /** Made and run by the service. */
  served?: true;
  repair?: true;
  /** Whatever its tool answers is outside content. */
  tainted?: boolean;
  /** The outside content that its reply followed. */
  taintedBy?: TaintSource;
  /** A failed call that a person ran again with other arguments. */
  repeats?: string;
  /** Its arguments before a person changed them. */
  original?: Readonly<Record<string, unknown>>;
  /** The call whose tool could not be reached. */
  standsInFor?: string;
  /** It failed so, and a person is asked whether it runs once more. Shown, no more: whether it runs again already, nobody knows. */
  failed?: PublishedResult;
  advice?: string;
  call?: Call;
  result?: PublishedResult;
  /** Of the plan: what it is for. */
  step?: string;
  /** Of the tool's schema when the call was made: the same name may be another tool on the next page. */
  fingerprint?: string;
  /** The tool said that running it again does no harm. To be asked again of the tool that is there now. */
  rerun?: boolean;
  /** Some of its arguments are not stored (`sensitive`): it cannot be asked for again. */
  withheld?: boolean;
  /** Not to be taken back: that was begun on a page that is gone, or its result came out of a file. */
  keepsEffect?: true;
}

/** What arrived of a reply that was being read. */
export interface StoredReply {
  messageId: string;
  text: string;
  raw: string;
  reasoning: string;
  parts: readonly MessagePart[];
  /** Absent where the rest cannot be had, or would not be all of it. */
  place?: ReplyPlace;
}

/** How far a reply was read, where a service can be asked for the rest (S0-177). */
export interface ReplyPlace {
  lastEventId: string;
  /** The notation it is read in. */
  protocol: string;
  /** UTF-16 units of `raw` and `reasoning` that came with the frames up to this one. */
  raw: number;
  reasoning: number;
}

/** A turn that was not over, without its settings: those are the page's, and may differ on the next one. */
export interface StoredTurn {
  id: string;
  /** Calls of the reply that was worked on, in text order. */
  round: readonly string[];
  proof: 'proved' | 'unproved';
  iterations: number;
  fruitless: number;
  /** By digest. */
  denied: Readonly<Record<string, number>>;
  executed: Readonly<Record<string, number>>;
  manual: boolean;
  /** The tool that the person has chosen, as long as it was not called. */
  lock?: { tool: string; label?: string; asked: boolean };
  /** Tools that failed for good. */
  disabled?: readonly string[];
  /** Out of a file. */
  imported?: true;
}

/** A `Grant` as it is kept. */
export interface StoredGrant {
  id: string;
  toolName: string;
  fingerprint: string;
  sentence: string;
  scope: 'session' | 'always';
  where: Readonly<Record<string, { equals?: unknown; oneOf?: readonly unknown[]; min?: number; max?: number }>>;
  left?: number;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
}

/** A `TaskPlan` as it is kept. */
export interface StoredPlan {
  goal: string;
  steps: readonly {
    id: string;
    title: string;
    tool?: string;
    input?: object;
    dependsOn: readonly string[];
    status: 'todo' | 'doing' | 'done' | 'failed' | 'skipped';
  }[];
}

export interface StoredConversation {
  format: typeof FORMAT;
  version: typeof VERSION;
  sessionId: string;
  messages: readonly ChatMessage[];
  /** What an assistant message is made of, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly StoredCall[];
  toolHistory: readonly PublishedResult[];
  reply?: StoredReply;
  turn?: StoredTurn;
  /** What stands in the composer. */
  draft: string;
  /** Texts that wait to be sent after this turn. */
  queue: readonly string[];
  grants: readonly StoredGrant[];
  plan?: StoredPlan;
  /** What other parts keep, by their name. JSON data; whoever reads it checks it. */
  kept?: Readonly<Record<string, unknown>>;
}

export function emptyConversation(sessionId: string): StoredConversation {
  return {
    format: FORMAT,
    version: VERSION,
    sessionId,
    messages: [],
    parts: {},
    calls: [],
    toolHistory: [],
    draft: '',
    queue: [],
    grants: [],
  };
}
