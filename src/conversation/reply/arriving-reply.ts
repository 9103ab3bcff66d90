/** The reply that is arriving, if one is: opened by whoever reads it, followed by the screen. */
import type { Services } from '../chart/services.js';
import { createLiveReply, type LiveReply } from './live-reply.js';

export interface ArrivingReply {
  readonly live: LiveReply | null;
  /** The same one for every attempt at a message. */
  open(messageId: string): LiveReply;
  end(): void;
  /** A model that has to be fetched first has come this far, 0 to 1. */
  readonly loaded: number | undefined;
}

export function createArrivingReply({ changed, happens, when }: Services): ArrivingReply {
  let live: LiveReply | null = null;
  let loaded: number | undefined;
  when('loaded', (fraction) => {
    loaded = fraction < 1 ? fraction : undefined;
    changed();
  });
  return {
    get loaded() {
      return loaded;
    },
    get live() {
      return live;
    },
    open(messageId) {
      if (live?.messageId === messageId) return live;
      let silent = true;
      live = createLiveReply(messageId, (what) => {
        // The first word is a boundary, too: thinking turns into answering.
        if (what === 'call' || silent) changed();
        silent &&= what === 'call';
        happens('text');
        happens('kept');
      });
      // The panel may have drawn the message before its reply was opened.
      changed();
      return live;
    },
    end() {
      live?.end();
      live = null;
    },
  };
}
