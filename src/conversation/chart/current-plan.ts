/** Finds the current plan of a conversation, and what the model still has to be told about it. */
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import type { StepStatus, TaskPlan } from '../../model/plan.js';
import type { ConversationContext, Turn } from './chart-context.js';

/** A plan with its place in the conversation. */
export interface CurrentPlan {
  messageId: string;
  id: string;
  plan: TaskPlan;
}

interface Talk {
  messages: readonly ChatMessage[];
  parts: Readonly<Record<string, readonly MessagePart[]>>;
}

/**
 * Ids of the messages with a plan, cached because every rendering asks for them. Few of the thousands of messages of a long conversation
 * have one.
 */
const planned = new WeakMap<Talk['parts'], readonly string[]>();

/** Returns the last plan of the conversation. It is valid until it is finished or replaced. */
export function currentPlan({ messages, parts }: Talk): CurrentPlan | undefined {
  const ids = planned.get(parts) ?? Object.keys(parts).filter((id) => parts[id]?.some(({ type }) => type === 'plan'));
  planned.set(parts, ids);
  const messageId = ids.length > 0 ? messages.findLast(({ id, role }) => role === 'assistant' && ids.includes(id))?.id : undefined;
  const part = parts[messageId ?? '']?.findLast((one) => one.type === 'plan');
  return part && { messageId: messageId!, id: part.id, plan: part.plan };
}

export const ended = new Set<StepStatus>(['done', 'failed', 'skipped']);

export const isFinished = ({ steps }: TaskPlan): boolean => steps.every(({ status }) => ended.has(status));

/** Marks the plan's problem as told when a request begins, and removes it for the request after that. */
export function tellProblem(turn: Turn): Turn {
  if (turn.planning?.problem === undefined) return turn;
  const { problem, ...rest } = turn.planning;
  return { ...turn, planning: rest.told ? rest : { ...rest, problem, told: true } };
}

export const hasUntoldProblem = ({ turn }: ConversationContext): boolean =>
  turn?.planning?.problem !== undefined && turn.planning.told === undefined;

/** True if the reply ended with a new plan and the model was not yet asked in this turn to carry it out. */
export function waitsToBegin(context: ConversationContext): boolean {
  const { turn, messages, parts } = context;
  if (!turn?.planning || turn.planning.pushed || messages.at(-1)?.metadata.finishReason === 'length') return false;
  const last = (parts[messages.at(-1)?.id ?? ''] ?? []).findLast((part) => part.type !== 'text' || part.text.trim() !== '');
  return last?.type === 'plan' && last.id === currentPlan(context)?.id && !isFinished(last.plan);
}

/** Replaces the plans of a reply by their current state, which its calls have updated meanwhile. */
export function withPlansOf(parts: readonly MessagePart[], now: readonly MessagePart[] | undefined): readonly MessagePart[] {
  const known = now?.filter((part) => part.type === 'plan') ?? [];
  return parts.map((part) => (part.type === 'plan' ? (known.find(({ id }) => id === part.id) ?? part) : part));
}
