/** Holds a call back until it is known what follows it. If text follows, the call requires approval. */
import type { CallFlag, EndReason, Segment } from './protocol.js';
import { trimBlanks } from './scan.js';
import { createTextBuffer } from './call-buffer.js';

/** Maximum number of blanks after a call that are held back with it. */
const BLANKS = 4096;

export const withFlag = (call: Segment & { type: 'call' }, flag: CallFlag): Segment & { type: 'call' } => ({
  ...call,
  flags: [...new Set([...(call.flags ?? []), flag])],
});

export function createHeldCalls(emitNow: (segment: Segment) => void) {
  let waiting: Segment[] = [];
  const blanks = createTextBuffer();
  let length = 0;

  function release(change: (call: Segment & { type: 'call' }) => Segment = (call) => call) {
    const segments = waiting;
    waiting = [];
    for (const segment of segments) emitNow(segment.type === 'call' ? change(segment) : segment);
    if (length > 0) emitNow({ type: 'text', text: blanks.join() });
    blanks.clear();
    length = 0;
  }

  return {
    emit(segment: Segment) {
      if (waiting.length > 0) {
        const isText = segment.type === 'text' || segment.type === 'reasoning';
        if (segment.type === 'text' && length < BLANKS && trimBlanks(segment.text) === '') {
          blanks.add(segment.text);
          length += segment.text.length;
          return;
        }
        release(isText ? (call) => withFlag(call, 'suspicious') : undefined);
      }
      emitNow(segment);
    },
    /** Holds a segment together with all segments that wait already, if nothing came between. */
    wait(segment: Segment) {
      if (length > 0) release();
      waiting.push(segment);
    },
    /** Ends the message. After an abort it is unknown what would have followed, so waiting calls fail. */
    settle(reason: EndReason) {
      if (reason !== 'abort') release();
      else release(({ id, name, raw }) => ({ type: 'call-error', id, name, code: 'unclosed', raw }));
    },
  };
}
