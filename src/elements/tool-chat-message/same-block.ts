/** Plans and questions among the parts of a message. */
import type { MessagePart } from '../../model/messages.js';

export type BlockPart = Extract<MessagePart, { type: 'plan' | 'clarify' }>;

/** Whether both stand for the same card. A plan that only went on is the same one. */
export function isSameBlock(one: BlockPart, other: BlockPart): boolean {
  if (one.type === 'plan') return other.type === 'plan' && other.id === one.id;
  return other.type === 'clarify' && JSON.stringify(other.clarify) === JSON.stringify(one.clarify);
}
