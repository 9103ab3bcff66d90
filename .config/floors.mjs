/**
 * The house: a folder of `src/` imports from lower floors and from itself, types too. This table is what lint enforces and what
 * `docs/architecture.md` describes.
 */
import path from 'node:path';

/** Folder of `src/` to floor. The doors of the package, which are files, stand above everything. */
export const floors = {
  base: 0, // what any floor may use
  i18n: 1, // texts and nothing else: every floor has something to say
  model: 1, // what things are
  protocols: 2,
  transports: 2,
  tools: 2,
  storage: 2,
  markdown: 2,
  prompts: 3,
  memory: 3,
  toolkits: 3,
  mcp: 4,
  webmcp: 5,
  relay: 4,
  conversation: 4,
  elements: 5,
  testing: 6,
  'scripted-model': 6,
  inspector: 7, // looks at all of it
  doors: 8,
};

/** Files that load one file of a folder above them when it is needed. */
export const upstairs = { 'elements/sync-inspector': 'inspector', 'mcp/connect-mcp': 'elements' };

/** Rooms of `src/conversation/`, lowest first; those on one line do not know each other. Its own files stand above them all. */
export const conversationRooms = [
  ['options'],
  ['chart'],
  ['privacy'],
  ['calls', 'request'],
  ['memory'],
  ['reply'],
  ['view'],
  ['host'],
  ['persistence'],
];
const doors = ['index', 'define', 'core', 'script', 'testing/index'];

/** Packages that only some of the house may know; all others are free for all. */
export const tenants = {
  lit: ['elements', 'inspector'],
  '@lit/context': ['elements'],
  xstate: ['conversation', 'inspector'],
  hono: ['relay'],
  '@hono/node-server': ['relay'],
  pino: ['relay'],
  redis: ['relay'],
  idb: ['storage'],
  'eventsource-parser': ['transports', 'relay'],
  zod: ['relay', 'testing', 'scripted-model'], // 26 KB: pages have a validator of their own
};

/** Why `file` (absolute) may not import `specifier`, or undefined when it may; `src` is the absolute path of the house. `lazily`: by `import()`. */
export function whyNot(src, file, specifier, lazily = false) {
  const from = place(src, file);
  if (from === undefined) return undefined;
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:'))
      return from.folder === 'relay' ? undefined : `"${from.folder}" runs in pages too: only the relay knows Node.`;
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const allowed = Object.hasOwn(tenants, name) ? tenants[name] : undefined;
    return !allowed || allowed.includes(from.folder)
      ? undefined
      : `${name} belongs to ${allowed.join(', ')}; "${from.folder}" does not use it.`;
  }
  const to = place(src, path.resolve(path.dirname(file), specifier));
  if (to === undefined) return `"${specifier}" leads out of src/.`;
  if (to.folder === from.folder) return whyNotRoom(from, to);
  if (floorOf(to.folder) < floorOf(from.folder) || (lazily && upstairs[from.name] === to.folder)) return undefined;
  return `"${from.folder}" (floor ${floorOf(from.folder)}) may not import "${to.folder}" (floor ${floorOf(to.folder)}): only lower floors and itself.`;
}

/** Inside `conversation/` the same holds for its rooms. */
function whyNotRoom(from, to) {
  if (from.folder !== 'conversation' || from.room === to.room || roomFloor(to.room) < roomFloor(from.room)) return undefined;
  return `"conversation/${from.room}" may not import "conversation/${to.room}": only lower rooms and itself.`;
}

/** Where a file is: its folder, and the room in it. */
function place(src, file) {
  const relative = path.relative(src, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
  if (doors.includes(relative.replace(/\.[jt]s$/, '').replaceAll(path.sep, '/'))) return { folder: 'doors', room: '' };
  const [folder, ...inside] = relative.split(path.sep);
  const name = relative.replace(/\.[jt]s$/, '').replaceAll(path.sep, '/');
  return { folder: inside.length > 0 ? folder : 'doors', room: inside.length > 1 ? inside[0] : '', name };
}

function floorOf(folder) {
  if (!Object.hasOwn(floors, folder)) throw new Error(`src/${folder} has no floor: give it one in .config/floors.mjs.`);
  return floors[folder];
}

function roomFloor(room) {
  if (room === '') return conversationRooms.length;
  const floor = conversationRooms.findIndex((rooms) => rooms.includes(room));
  if (floor === -1) throw new Error(`src/conversation/${room} has no floor: give it one in .config/floors.mjs.`);
  return floor;
}
