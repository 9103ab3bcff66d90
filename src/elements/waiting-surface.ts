/**
 * What a panel shows and keeps before its conversation has been loaded: an empty conversation that can be written to. What a person sends
 * waits, can be taken back, and is sent in order as soon as there is somebody to send it.
 */
import type { ConversationSurface, ViewSnapshot } from '../model/snapshot.js';

const empty: ViewSnapshot = {
  ...{ state: 'idle', activities: [], messages: [], isLoading: false, error: null, currentTool: null, toolHistory: [] },
  ...{ streamingText: '', isToolExecuting: false, grants: [], views: [], cards: {}, failure: null, retry: null, queue: [] },
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
};

export interface WaitingSurface extends ConversationSurface {
  /** The conversation could not be loaded, and why; `null` when it is tried again. */
  fail(failure: ViewSnapshot['failure']): void;
  /** Sends what waits, and gives the conversation what stands in the composer. */
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
    // Of all this there is nothing yet.
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
