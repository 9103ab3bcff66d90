/** Draws a long conversation: the cost of a step depends on what it has changed, not on the length of the conversation. */
import { setFindIndexes } from '../../base/find-indexes.js';
import { hiddenRetries } from '../reply/hidden-retries.js';
import type { CallRecord, ConversationContext } from '../chart/chart-context.js';
import { createLongCards } from './long-cards.js';
import { createPicker, findPlaces, sharedLength } from './long-lists.js';
import { createLongMessages } from './long-messages.js';
import type { Draw } from './message-view.js';

export function createLongDrawing(): Draw {
  setFindIndexes(findPlaces);
  const drawMessages = createLongMessages();
  const drawCards = createLongCards();
  const executing = createPicker(({ status }: CallRecord) => status === 'executing');
  const repairs = createPicker(({ repair }: CallRecord) => repair === true);
  let before: Pick<ConversationContext, 'calls' | 'messages'> = { calls: [], messages: [] };
  return (context, around) => {
    const same = { calls: sharedLength(context.calls, before.calls), messages: sharedLength(context.messages, before.messages) };
    before = context;
    const hidden = hiddenRetries(context, repairs(context.calls, same.calls));
    const isExecuting = executing(context.calls, same.calls).length > 0;
    return { ...drawMessages(context, around, same), cards: drawCards(context, around, same, hidden), hidden, isExecuting };
  };
}
