/** Resolves references and checks formats, which most schemas of tools do not need. Loaded with the first schema that has one. */
import { dereference } from '@cfworker/json-schema';
import { isObject } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
export { isFormat } from './formats.js';

/** Keywords that hold data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Returns the schemas by their address. Within one document, a dynamic anchor counts as an ordinary anchor. If several schemas have the
 * same one, it is left unresolved, because the right one would depend on the path to it.
 */
export function locateSchemas(root: JsonSchema): { places: Record<string, unknown>; base: string } {
  const places = dereference(root as never) as Record<string, unknown>;
  const base = String(root['__absolute_uri__']);
  const anchors = new Map<string, unknown>();
  const queue: unknown[] = [root];
  for (const node of queue) {
    if (Array.isArray(node)) queue.push(...(node as unknown[]));
    if (!isObject(node)) continue;
    const name = node['$dynamicAnchor'];
    if (typeof name === 'string') anchors.set(name, anchors.has(name) ? undefined : node);
    for (const [keyword, value] of Object.entries(node)) if (!DATA.has(keyword)) queue.push(value);
  }
  for (const [name, node] of anchors) places[`${base}#${name}`] = node;
  return { places, base };
}
