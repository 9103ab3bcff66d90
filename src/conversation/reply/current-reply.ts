/** The reply that is streaming, if any. The code that reads it opens it, and the screen follows it. */
import type { ConversationServices } from '../chart/services.js';
import { createStreamingReply, type StreamingReply } from './streaming-reply.js';

export interface CurrentReply {
  readonly live: StreamingReply | null;
  /** Opens the reply of a message. All attempts at one message share it. */
  open(messageId: string): StreamingReply;
  end(): void;
  /** Progress of a model that has to be downloaded first, from 0 to 1; undefined if there is none. */
  readonly loaded: number | undefined;
}

export function createCurrentReply({ changed, emit, on }: ConversationServices): CurrentReply {
  let live: StreamingReply | null = null;
  let loaded: number | undefined;
  on('loaded', (fraction) => {
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
      live = createStreamingReply(messageId, (what) => {
        // The first text counts as a change too: the phase turns from thinking to answering.
        if (what === 'call' || silent) changed();
        silent &&= what === 'call';
        emit('text');
        emit('kept');
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
