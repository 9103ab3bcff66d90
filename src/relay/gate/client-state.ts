/**
 * The data that a page with `orchestration="relay-gated"` sends about its request, in `config.orchestration`. It is not trusted: the relay
 * compares it with its own state, and uses it to find the messages that are results.
 */
import { z } from 'zod';
import { boundedList } from '../bounded-list.js';

const name = z.string().min(1).max(200);
const id = z.string().min(1).max(100);

export const clientStateSchema = z.object({
  /** The page's id of this conversation: unguessable, and the same for all of its requests. */
  session: z.string().min(8).max(100),
  /** The id of this request. A second request with the same id is rejected as a replay. */
  request: z.string().min(8).max(100),
  /** The protocol of this request; `none` if the page reads no calls. */
  protocol: z.string().max(64),
  /** `any`: the page runs calls in any protocol. */
  accept: z.enum(['active', 'strict', 'any']).default('active'),
  callsPerTurn: z.enum(['one', 'many', 'confirm-chain']).default('many'),
  /** True if the page closes the stream at the end of a call and so never reads the text after it. */
  stopsAtCall: z.boolean().default(false),
  /** The reason for the request: `user` for a new message of the user, `on` for a continuation of the tool loop. */
  kind: z.enum(['user', 'on']),
  /** The outcomes of calls that the messages after the last reply report, in their order. */
  answers: boundedList(
    500,
    z.object({
      id,
      name,
      status: z.enum(['success', 'error', 'denied', 'cancelled', 'interrupted']),
      decidedBy: z.enum(['policy', 'grant', 'host', 'person']).optional(),
    }),
  ).default([]),
  /** True if the open calls were not executed and their reply was removed from the messages. */
  withdraws: z.boolean().default(false),
  /** The tools of this request and their risks; `as` is the tool's name in the protocol. */
  tools: boundedList(2_000, z.object({ name, as: name.optional(), risk: z.enum(['query', 'write', 'danger']).optional() })).default([]),
});

export type ClientState = z.infer<typeof clientStateSchema>;

/** Returns all names by which a reply can call the tools. */
export const namesOf = ({ tools }: Pick<ClientState, 'tools'>): string[] =>
  tools.flatMap(({ name, as }) => (as === undefined ? [name] : [name, as]));
