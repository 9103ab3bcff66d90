/** The parts of a message that are plans or questions. */
import type { MessagePart } from '../../model/messages.js';

export type BlockPart = Extract<MessagePart, { type: 'plan' | 'clarify' }>;

/** Returns true if both parts have the same card. A plan that has only made progress is the same. */
export function isSameBlock(one: BlockPart, other: BlockPart): boolean {
  if (one.type === 'plan') return other.type === 'plan' && other.id === one.id;
  return other.type === 'clarify' && JSON.stringify(other.clarify) === JSON.stringify(one.clarify);
}
