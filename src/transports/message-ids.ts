/** Ids for messages of a history that has none: services that keep a conversation know a message again by its id. */

/**
 * The same message of the same conversation gets the same id in every request, however much of what stood before it is no longer sent;
 * a message that is said twice gets two. Linear in what it is given.
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

/** FNV-1a, twice from different starts: 64 bits that need not be secret, only seldom the same. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x01000193) + 1;
  }
  return [a, b].map((half) => (half >>> 0).toString(36).padStart(7, '0')).join('');
}
