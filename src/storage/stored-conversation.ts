/**
 * The saved data of a conversation: all it needs to be shown and continued. Plain data without settings and without secrets of the page;
 * nothing in it can start anything. The statechart's data fits these types as it is; other fields are not stored.
 */
import type { PublishedResult } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import type { StoredCall } from './stored-call.js';

export type { StoredCall } from './stored-call.js';

export const FORMAT = 'tool-chat-conversation';
export const VERSION = 1;

/** The received part of a reply that was arriving. */
export interface StoredReply {
  messageId: string;
  text: string;
  raw: string;
  reasoning: string;
  parts: readonly MessagePart[];
  /** Absent if the rest cannot be requested, or would be incomplete. */
  place?: ReplyPlace;
}

/** The position in a reply, for providers that can resume one. */
export interface ReplyPlace {
  lastEventId: string;
  /** The notation of the reply. */
  protocol: string;
  /** Lengths of `raw` and `reasoning` up to this event, in UTF-16 units. */
  raw: number;
  reasoning: number;
}

/** An unfinished turn, without settings: those belong to the page and may differ on the next one. */
export interface StoredTurn {
  id: string;
  /** Calls of the current reply, in text order. */
  round: readonly string[];
  proof: 'proved' | 'unproved';
  iterations: number;
  fruitless: number;
  /** Numbers of denied and executed calls, by digest. */
  denied: Readonly<Record<string, number>>;
  executed: Readonly<Record<string, number>>;
  manual: boolean;
  /** The tool that the user has chosen, until it is called. */
  lock?: { tool: string; label?: string; asked: boolean };
  /** Tools that failed permanently. */
  disabled?: readonly string[];
  /** True if the turn comes from an imported file. */
  imported?: true;
}

/** The saved form of a `Grant`. */
export interface StoredGrant {
  id: string;
  toolName: string;
  toolHost?: string;
  fingerprint: string;
  sentence: string;
  scope: 'session' | 'always';
  where: Readonly<Record<string, { equals?: unknown; oneOf?: readonly unknown[]; min?: number; max?: number }>>;
  left?: number;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
}

/** The saved form of a `TaskPlan`. */
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

/** A hidden version of the conversation: everything that followed the message `from` ('' = all of it). Its calls have ended. */
export interface StoredBranch {
  from: string;
  /** Number among the versions at this point, from 1. */
  place: number;
  messages: readonly ChatMessage[];
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly StoredCall[];
}

export interface StoredConversation {
  format: typeof FORMAT;
  version: typeof VERSION;
  sessionId: string;
  messages: readonly ChatMessage[];
  /** The parts of assistant messages, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly StoredCall[];
  toolHistory: readonly PublishedResult[];
  /** Hidden versions. */
  branches?: readonly StoredBranch[];
  reply?: StoredReply;
  turn?: StoredTurn;
  /** The composer's text. */
  draft: string;
  /** Messages that will be sent after this turn. */
  queue: readonly string[];
  grants: readonly StoredGrant[];
  plan?: StoredPlan;
  /** Saved data of other parts of the code, by name. JSON data, unchecked. */
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
