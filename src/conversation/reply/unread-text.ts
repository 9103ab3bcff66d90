/**
 * Reads a reply where nothing can be called. There only the reasoning of a model is told from its answer, and that begins with `<`: up to the
 * first one the text is shown as it comes, and what tells is loaded with it.
 */
import { load } from '../../base/load.js';
import type { EndReason, ProtocolReader, Segment } from '../../protocols/protocol.js';

export interface TextReader {
  push(text: string): void;
  /** Promises where the rest is read later. */
  end(reason: EndReason): Promise<void> | void;
  /** As long as text waits to be read. */
  readonly pending?: Promise<void> | undefined;
}

/** What waits is told, so that a reply that ends meanwhile has it all the same. */
export interface Waiting {
  heldText: string;
}

export const withoutCalls = async (): Promise<ProtocolReader> =>
  (await load(() => import('../../protocols/native-reader.js'))).nativeReader;

export function readAsText(take: (segment: Segment) => void, live: Waiting, open = withoutCalls): TextReader {
  let read = '';
  let half = ''; // of a surrogate pair
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
    // What cannot be told apart is shown.
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
