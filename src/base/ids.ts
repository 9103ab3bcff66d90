/** Ids that no model and no provider mints; `crypto.randomUUID` exists on secure pages only, `getRandomValues` everywhere. */
export function createId(kind: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return `${kind}_${Array.from(bytes, (byte) => byte.toString(36).padStart(2, '0')).join('')}`;
}
