/** Reads a response body completely or up to a limit. Never keeps more than the limit allows. */

export interface BodyText {
  /** The text up to the limit, or up to the point where reading failed or was stopped. */
  text: string;
  /** True if the body was read completely. */
  isWhole: boolean;
  /** The error that ended reading; absent if the body was too long or `signal` stopped it. */
  error?: unknown;
}

/**
 * Reads a body as text. Never rejects.
 * @param most the maximum length in bytes
 * @param options `fatal`: invalid UTF-8 is an error; `signal` stops reading and keeps the text so far; `onPiece` is called with the size of
 *   each chunk before it is kept, and an error that it throws counts as an error of the body
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
