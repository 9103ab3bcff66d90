/** The one reader of bodies that are read as a whole, or of which the beginning is enough: never more than was allowed is held. */

export interface BodyText {
  /** At most as long as allowed, and what came until it broke or was stopped. */
  text: string;
  /** All of it is there. */
  isWhole: boolean;
  /** Why it broke off; absent where it was too long or `signal` stopped it. */
  error?: unknown;
}

/**
 * Never rejects. @param most bytes
 * @param options `fatal`: bytes that are no UTF-8 are an error; `signal`: reading ends with what has come; `onPiece` hears of each piece
 *   before it is kept, and what it throws is an error of the body
 */
export async function readBody(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  { signal, fatal = false, onPiece }: { signal?: AbortSignal; fatal?: boolean; onPiece?: (bytes: number) => void } = {},
): Promise<BodyText> {
  if (!body) return { text: '', isWhole: true };
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal });
  const stop = () => void reader.cancel().catch(() => {});
  let text = '';
  let left = most;
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (value) onPiece?.(value.byteLength);
      if (done) return signal?.aborted ? { text, isWhole: false } : { text: text + decoder.decode(), isWhole: true };
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
      if (left >= 0) continue;
      stop();
      return { text, isWhole: false };
    }
  } catch (error) {
    stop();
    return { text, isWhole: false, error };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
