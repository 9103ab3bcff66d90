import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { trimmedXstate } from '../../.config/trimmed-xstate.mjs';

const dist = new URL('../../node_modules/xstate/dist/', import.meta.url);
/** Node takes other files than the bundler does, and those are the ones that are trimmed. */
const bundled = { xstate: 'xstate.esm.js', 'xstate/graph': 'xstate-graph.esm.js' };

export function resolve(specifier, context, next) {
  if (Object.hasOwn(bundled, specifier)) return { url: new URL(bundled[specifier], dist).href, format: 'module', shortCircuit: true };
  return next(specifier, context);
}

export function load(url, context, next) {
  if (!url.startsWith(dist.href) || !url.endsWith('.esm.js')) return next(url, context);
  const file = fileURLToPath(url);
  const code = readFileSync(file, 'utf8');
  return { format: 'module', source: trimmedXstate(file, code) ?? code, shortCircuit: true };
}
