/**
 * What a page of `orchestration="relay-gated"` says about its request, in `config.orchestration`. None of it is believed: it is held
 * against what the relay itself has seen, and only tells which of the messages are meant as results.
 */
import { z } from 'zod';
import { atMost } from '../bounded-list.js';

const name = z.string().min(1).max(200);
const id = z.string().min(1).max(100);

export const claimsSchema = z.object({
  /** The page's own name for this conversation, unguessable and the same for all of its requests. */
  session: z.string().min(8).max(100),
  /** Of this request alone; a second one that carries it is a replay. */
  request: z.string().min(8).max(100),
  /** The notation of this request; `none` where the page reads no calls. */
  protocol: z.string().max(64),
  /** `any`: the page runs calls in any notation. */
  accept: z.enum(['active', 'strict', 'any']).default('active'),
  callsPerTurn: z.enum(['one', 'many', 'confirm-chain']).default('many'),
  /** The page closes the stream at the end of a call: what comes after it, it never reads. */
  stopsAtCall: z.boolean().default(false),
  /** Who has the word: a person who wrote a new message, or the loop that goes on. */
  kind: z.enum(['user', 'on']),
  /** What the messages after the last reply tell of its calls, in their order. */
  answers: atMost(
    500,
    z.object({
      id,
      name,
      status: z.enum(['success', 'error', 'denied', 'cancelled', 'interrupted']),
      decidedBy: z.enum(['policy', 'grant', 'host', 'person']).optional(),
    }),
  ).default([]),
  /** What is still open was not executed, and its reply is no longer part of the messages. */
  withdraws: z.boolean().default(false),
  /** What the tools of this request can do; `as` is what the notation calls them. */
  tools: atMost(2_000, z.object({ name, as: name.optional(), risk: z.enum(['query', 'write', 'danger']).optional() })).default([]),
});

export type Claims = z.infer<typeof claimsSchema>;

/** All that the tools can be called in a reply. */
export const namesOf = ({ tools }: Pick<Claims, 'tools'>): string[] =>
  tools.flatMap(({ name, as }) => (as === undefined ? [name] : [name, as]));
