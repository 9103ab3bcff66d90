/** The reply that is arriving, if one is: opened by whoever reads it, followed by the screen. */
import { createLiveReply, type LiveReply } from './live-reply.js';

export interface ArrivingReply {
  readonly live: LiveReply | null;
  /** The same one for every attempt at a message. */
  open(messageId: string): LiveReply;
  end(): void;
}

export interface ReplyWatchers {
  /** Something other than its text has changed. */
  changed(): void;
  /** Its text has, too. */
  grew(): void;
}

export function createArrivingReply({ changed, grew }: ReplyWatchers): ArrivingReply {
  let live: LiveReply | null = null;
  return {
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
        grew();
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
