/**
 * The surface of a panel before its conversation has loaded: an empty conversation that accepts messages. Messages are queued, can be
 * removed, and are sent in order as soon as the conversation is ready.
 */
import type { ConversationSurface, ViewSnapshot } from '../model/snapshot.js';

const empty: ViewSnapshot = {
  ...{ state: 'idle', activities: [], messages: [], isLoading: false, error: null, currentTool: null, toolHistory: [] },
  ...{ streamingText: '', isToolExecuting: false, grants: [], views: [], cards: {}, failure: null, retry: null, queue: [] },
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
};

export interface WaitingSurface extends ConversationSurface {
  /** Shows why the conversation could not be loaded; `null` while it is loading again. */
  fail(failure: ViewSnapshot['failure']): void;
  /** Sends the queued messages, and passes the composer's draft to the conversation. */
  handOver(surface: ConversationSurface): void;
}

export function createWaitingSurface(retry: () => void): WaitingSurface {
  const listeners = new Set<(view: ViewSnapshot) => void>();
  const sent: { text: string; options: Parameters<ConversationSurface['send']>[1] }[] = [];
  let view = empty;
  let draft: string | undefined;
  const change = (to: Partial<ViewSnapshot>) => {
    view = { ...view, ...to };
    for (const listener of listeners) listener(view);
  };
  const showSent = () => {
    change({ queue: sent.map(({ text }) => text) });
  };
  const nothing = () => undefined;
  return {
    get view() {
      return view;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send(text, options) {
      sent.push({ text, options });
      showSent();
    },
    unqueue(at) {
      sent.splice(at, 1);
      showSent();
    },
    draft(text) {
      draft = text;
    },
    fail(failure) {
      change({ failure });
    },
    retry,
    dismissError() {
      change({ failure: null });
    },
    handOver(surface) {
      for (const { text, options } of sent.splice(0)) surface.send(text, options);
      if (draft) surface.draft?.(draft);
      draft = undefined;
    },
    // None of these exists yet.
    follow: () => nothing,
    tools: () => Promise.resolve([]),
    sendResults: nothing,
    stop: nothing,
    continue: nothing,
    edit: nothing,
    undo: nothing,
    revoke: nothing,
    memory: { edit: nothing, forget: nothing, forgetAll: nothing } as unknown as ConversationSurface['memory'],
    answerNotice: nothing,
    takeOffer: nothing,
    checkConfiguration: () => Promise.reject(new Error('There is no conversation yet.')),
    giveFeedback: nothing,
  };
}
