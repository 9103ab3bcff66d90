/**
 * Reads a reply in which nothing can be called. Only the reasoning of the model has to be told from its answer, and that begins with `<`.
 * Up to the first one, the text is shown as it arrives. Then the code that tells them apart is loaded.
 */
import { load } from '../../base/load.js';
import type { EndReason, ProtocolReader, Segment } from '../../protocols/protocol.js';

export interface TextReader {
  push(text: string): void;
  /** Returns a promise if the rest is read later. */
  end(reason: EndReason): Promise<void> | void;
  /** Set as long as text waits to be read. */
  readonly pending?: Promise<void> | undefined;
}

/** Holds the text that waits, so that a reply that ends meanwhile contains it all the same. */
export interface Waiting {
  heldText: string;
}

export const withoutCalls = async (): Promise<ProtocolReader> =>
  (await load(() => import('../../protocols/native-reader.js'))).nativeReader;

export function readAsText(take: (segment: Segment) => void, live: Waiting, open = withoutCalls): TextReader {
  let read = '';
  let half = ''; // first half of a surrogate pair
  let waiting = '';
  let reader: Pick<TextReader, 'push' | 'end'> | undefined;
  let pending: Promise<void> | undefined;

  let shown = 0;

  const show = (text: string) => {
    if (!text) return;
    shown += text.length;
    take({ type: 'text', text });
  };
  const hold = (text: string) => void (live.heldText = waiting = text);

  function pass(chunk: string) {
    const all = half + chunk;
    const last = all.charCodeAt(all.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : '';
    const text = half ? all.slice(0, -1) : all;
    show(read === '' && text.startsWith('\ufeff') ? text.slice(1) : text);
    read += text;
  }

  async function readOn() {
    const { createParser } = await open().catch((): Partial<ProtocolReader> => ({}));
    pending = undefined;
    const rest = waiting;
    hold('');
    let seen = shown;
    const takeNew = (segment: Segment) => {
      if (segment.type !== 'text' || seen === 0) return take(segment);
      show(segment.text.slice(seen));
      seen = Math.max(0, seen - segment.text.length);
    };
    // If the reader cannot be loaded, everything is shown.
    reader = createParser?.(takeNew) ?? { push: show, end: () => undefined };
    reader.push(createParser ? read + rest : rest);
  }

  return {
    get pending() {
      return pending;
    },
    push(chunk) {
      if (reader) return reader.push(chunk);
      if (pending) return hold(waiting + chunk);
      if (!chunk.includes('<')) return pass(chunk);
      hold(half + chunk);
      half = '';
      pending = readOn();
    },
    end(reason) {
      if (pending) return pending.then(() => reader?.end(reason));
      show(half + waiting);
      half = '';
      hold('');
      return reader?.end(reason);
    },
  };
}
