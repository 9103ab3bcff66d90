/**
 * Creates an id that cannot collide with one of a model or a provider. Uses `getRandomValues`, because `crypto.randomUUID` exists on secure
 * pages only.
 */
export function createId(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `${kind}_${Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('')}`;
}
