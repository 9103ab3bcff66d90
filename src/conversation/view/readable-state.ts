/** The readable state of a conversation. Each access returns a copy, so writing to it changes nothing. */
import { plainCopy } from '../../base/plain-copy.js';
import type { ConversationSnapshot, ViewSnapshot } from '../../model/snapshot.js';

/** @param isWaiting returns true if messages wait to be sent */
export function stateOf(view: () => ViewSnapshot, isWaiting: () => boolean): ConversationSnapshot {
  return {
    get state() {
      return view().state;
    },
    get activities() {
      return [...view().activities];
    },
    get messages() {
      return plainCopy(view().messages);
    },
    get isLoading() {
      return view().isLoading || isWaiting();
    },
    get error() {
      return view().error;
    },
    get currentTool() {
      return plainCopy(view().currentTool);
    },
    get toolHistory() {
      return plainCopy(view().toolHistory);
    },
    get streamingText() {
      return view().streamingText;
    },
    get isToolExecuting() {
      return view().isToolExecuting;
    },
    get session() {
      return plainCopy(view().session);
    },
    get grants() {
      return plainCopy(view().grants);
    },
  };
}
