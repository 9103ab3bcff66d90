/** Returns the part of a value that JSON cannot represent; undefined if it is plain data. */
export function findNonJson(value: unknown, above: readonly unknown[] = []): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null || above.length > 60) return undefined;
  if (above.includes(value)) return 'a cycle';
  if (value instanceof Date || typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (!Array.isArray(value)) {
    const tag = Object.prototype.toString.call(value).slice(8, -1);
    if (tag !== 'Object' && tag !== 'Error') return `a ${tag}`;
  }
  for (const one of Object.values(value)) {
    const what = findNonJson(one, [...above, value]);
    if (what) return what;
  }
  return undefined;
}
