/** Creates ids for the messages of a history without ids: services that store a conversation recognize a message by its id. */

/**
 * Returns a function that creates ids. The same message of the same conversation gets the same id in every request, however many earlier
 * messages are no longer sent; a message that occurs twice gets two ids. Linear in its input.
 */
export function createMessageIds(sessionId: string): (kind: string, content: string) => string {
  const seen = new Map<string, number>();
  return (kind, content) => {
    const id = `${kind}-${hash(`${sessionId}\n${kind}\n${content}`)}`;
    const times = (seen.get(id) ?? 0) + 1;
    seen.set(id, times);
    return times === 1 ? id : `${id}-${String(times)}`;
  };
}

/** Computes two FNV-1a hashes from different starts. The 64 bits need not be secret, only rarely equal. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193) + 1;
  }
  return [a, b].map((half) => (half >>> 0).toString(36).padStart(7, '0')).join('');
}
