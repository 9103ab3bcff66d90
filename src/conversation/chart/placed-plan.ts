/** Where the plan of a conversation stands, and what of it is still to be said. */
import type { ChatMessage, MessagePart } from '../../model/messages.js';
import type { StepStatus, TaskPlan } from '../../model/plan.js';
import type { ConversationContext, Turn } from './chart-context.js';

/** Where the plan of a conversation stands. */
export interface PlacedPlan {
  messageId: string;
  id: string;
  plan: TaskPlan;
}

interface Talk {
  messages: readonly ChatMessage[];
  parts: Readonly<Record<string, readonly MessagePart[]>>;
}

/** Ids of the messages with a plan: few have one, and a long conversation has thousands of messages, which each drawing asks about. */
const planned = new WeakMap<Talk['parts'], readonly string[]>();

/** The last plan of the conversation; it holds until it is finished or another takes its place. */
export function placedPlan({ messages, parts }: Talk): PlacedPlan | undefined {
  const ids = planned.get(parts) ?? Object.keys(parts).filter((id) => parts[id]?.some(({ type }) => type === 'plan'));
  planned.set(parts, ids);
  const messageId = ids.length > 0 ? messages.findLast(({ id, role }) => role === 'assistant' && ids.includes(id))?.id : undefined;
  const part = parts[messageId ?? '']?.findLast((one) => one.type === 'plan');
  return part && { messageId: messageId!, id: part.id, plan: part.plan };
}

export const ended = new Set<StepStatus>(['done', 'failed', 'skipped']);

export const isFinished = ({ steps }: TaskPlan): boolean => steps.every(({ status }) => ended.has(status));

/** A request begins: it tells the problem, and the one after it no more. */
export function tellProblem(turn: Turn): Turn {
  if (turn.planning?.problem === undefined) return turn;
  const { problem, ...rest } = turn.planning;
  return { ...turn, planning: rest.told ? rest : { ...rest, problem, told: true } };
}

export const hasUntoldProblem = ({ turn }: ConversationContext): boolean =>
  turn?.planning?.problem !== undefined && turn.planning.told === undefined;

/** The reply was a plan and nothing behind it: the model is asked to go on, once a turn. */
export function waitsToBegin(context: ConversationContext): boolean {
  const { turn, messages, parts } = context;
  if (!turn?.planning || turn.planning.pushed || messages.at(-1)?.metadata.finishReason === 'length') return false;
  const last = (parts[messages.at(-1)?.id ?? ''] ?? []).findLast((part) => part.type !== 'text' || part.text.trim() !== '');
  return last?.type === 'plan' && last.id === placedPlan(context)?.id && !isFinished(last.plan);
}

/** The plans of a reply are as far as its calls have brought them meanwhile. */
export function withPlansOf(parts: readonly MessagePart[], now: readonly MessagePart[] | undefined): readonly MessagePart[] {
  const known = now?.filter((part) => part.type === 'plan') ?? [];
  return parts.map((part) => (part.type === 'plan' ? (known.find(({ id }) => id === part.id) ?? part) : part));
}
