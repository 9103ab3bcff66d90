/** Tells every open page that something changed. One process only: a demo behind several servers would need a shared bus here. */

export interface Change {
  type: 'task.created' | 'task.updated' | 'task.deleted' | 'task.scheduled' | 'task.unscheduled';
  task_id: string;
  /** The `X-Client` of whoever made the change: `assistant`, `board`, or what a caller says. */
  source: string;
}

export interface ChangeFeed {
  publish(change: Change): void;
  /** Returns the function that ends the subscription. */
  subscribe(onChange: (change: Change) => void, onClose: () => void): () => void;
  /** Ends every subscription: the server is stopping. */
  close(): void;
}

export function createChangeFeed(): ChangeFeed {
  const subscribers = new Set<{ onChange: (change: Change) => void; onClose: () => void }>();
  return {
    publish(change) {
      for (const subscriber of subscribers) subscriber.onChange(change);
    },
    subscribe(onChange, onClose) {
      const subscriber = { onChange, onClose };
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    close() {
      for (const subscriber of [...subscribers]) subscriber.onClose();
      subscribers.clear();
    },
  };
}
