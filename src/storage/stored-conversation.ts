/**
 * What is kept of a conversation: what it shows and needs to go on. Plain data, no settings, no secrets of the host; nothing in it can
 * start anything. What the statechart keeps fits these types as it is; fields they do not know are not stored.
 */
import type { PublishedResult } from '../model/calls.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import type { StoredCall } from './stored-call.js';

export type { StoredCall } from './stored-call.js';

export const FORMAT = 'tool-chat-conversation';
export const VERSION = 1;

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

/** How far a reply was read, where a service can be asked for the rest. */
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
  toolHost?: string;
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

/** A version of the conversation that is not shown: everything that followed the message `from` ('' = all of it). Its calls have ended. */
export interface StoredBranch {
  from: string;
  /** Among the versions there, from 1. */
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
  /** What an assistant message is made of, by message id. */
  parts: Readonly<Record<string, readonly MessagePart[]>>;
  calls: readonly StoredCall[];
  toolHistory: readonly PublishedResult[];
  /** Versions that are not shown. */
  branches?: readonly StoredBranch[];
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
