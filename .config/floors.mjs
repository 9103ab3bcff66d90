/**
 * The house: a folder of `src/` imports from lower floors and from itself, types too. This table is what lint enforces and what
 * `docs/architecture.md` describes.
 */
import path from 'node:path';

/** Folder of `src/` to floor. Its files are the ground (floor 0), but for the doors of the package, which stand above everything. */
export const floors = {
  ground: 0,
  i18n: 0, // texts and nothing else: every floor has something to say
  protocols: 1,
  transports: 1,
  tools: 1,
  storage: 1,
  markdown: 1,
  prompts: 2,
  memory: 2,
  adapters: 2,
  conversation: 3,
  relay: 3,
  elements: 4,
  inspector: 5,
  testing: 5,
  doors: 5,
};
const doors = ['index', 'define', 'core', 'script'];

/** Packages that only some of the house may know; all others are free for all. */
export const tenants = {
  lit: ['elements', 'inspector'],
  '@lit/context': ['elements', 'inspector'],
  xstate: ['conversation'],
  hono: ['relay'],
  pino: ['relay'],
  redis: ['relay'],
  idb: ['storage'],
  'eventsource-parser': ['transports', 'relay'],
};

/** Why `file` (absolute) may not import `specifier`, or undefined when it may; `src` is the absolute path of the house. */
export function whyNot(src, file, specifier) {
  const from = room(src, file);
  if (from === undefined) return undefined;
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:')) return from === 'relay' ? undefined : `"${from}" runs in pages too: only the relay knows Node.`;
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const allowed = Object.hasOwn(tenants, name) ? tenants[name] : undefined;
    return !allowed || allowed.includes(from) ? undefined : `${name} belongs to ${allowed.join(', ')}; "${from}" does not use it.`;
  }
  const to = room(src, path.resolve(path.dirname(file), specifier));
  if (to === undefined) return `"${specifier}" leads out of src/.`;
  if (to === from || floorOf(to) < floorOf(from)) return undefined;
  return `"${from}" (floor ${floorOf(from)}) may not import "${to}" (floor ${floorOf(to)}): only lower floors and itself.`;
}

function room(src, file) {
  const relative = path.relative(src, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
  const [first, ...inside] = relative.split(path.sep);
  if (inside.length > 0) return first;
  return doors.includes(first.replace(/\.[jt]s$/, '')) ? 'doors' : 'ground';
}

function floorOf(folder) {
  if (!Object.hasOwn(floors, folder)) throw new Error(`src/${folder} has no floor: give it one in .config/floors.mjs.`);
  return floors[folder];
}
