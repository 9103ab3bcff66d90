/**
 * The layers of the project: a folder of `src/` imports from lower layers and from itself, types too. Lint enforces this table, and
 * `docs/architecture.md` describes it.
 */
import path from 'node:path';

/** The layer of each folder of `src/`. The entry points of the package, which are files, are above all folders. */
export const layers = {
  base: 0, // any layer may use it
  i18n: 1, // texts only: every layer has texts
  model: 1, // the data types
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
  entries: 8,
};

/** Files that load one file of a folder above them when it is needed. */
export const lazyExceptions = { 'elements/sync-inspector': 'inspector', 'mcp/connect-mcp': 'elements' };

/** Folders of `src/conversation/`, lowest first; those on one line do not import each other. Its own files are above all of them. */
export const conversationLayers = [
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
const entries = ['index', 'define', 'core', 'script', 'testing/index'];

/** Packages that only some folders may import; all folders may import the others. */
export const restrictedPackages = {
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

/** Returns why `file` (absolute) may not import `specifier`; undefined if it may. `src` is an absolute path. `lazily`: by `import()`. */
export function whyNot(src, file, specifier, lazily = false) {
  const from = locate(src, file);
  if (from === undefined) return undefined;
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:'))
      return from.folder === 'relay' ? undefined : `"${from.folder}" runs in pages too: only the relay knows Node.`;
    const name = specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/');
    const allowed = Object.hasOwn(restrictedPackages, name) ? restrictedPackages[name] : undefined;
    return !allowed || allowed.includes(from.folder)
      ? undefined
      : `${name} belongs to ${allowed.join(', ')}; "${from.folder}" does not use it.`;
  }
  const to = locate(src, path.resolve(path.dirname(file), specifier));
  if (to === undefined) return `"${specifier}" leads out of src/.`;
  if (to.folder === from.folder) return whyNotInConversation(from, to);
  if (layerOf(to.folder) < layerOf(from.folder) || (lazily && lazyExceptions[from.name] === to.folder)) return undefined;
  return `"${from.folder}" (layer ${layerOf(from.folder)}) may not import "${to.folder}" (layer ${layerOf(to.folder)}): only lower layers and itself.`;
}

/** The same rule applies to the folders of `conversation/`. */
function whyNotInConversation(from, to) {
  if (
    from.folder !== 'conversation' ||
    from.subfolder === to.subfolder ||
    layerInConversation(to.subfolder) < layerInConversation(from.subfolder)
  )
    return undefined;
  return `"conversation/${from.subfolder}" may not import "conversation/${to.subfolder}": only lower layers and itself.`;
}

/** Returns the folder of a file, and the folder in it. */
function locate(src, file) {
  const relative = path.relative(src, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) return undefined;
  if (entries.includes(relative.replace(/\.[jt]s$/, '').replaceAll(path.sep, '/'))) return { folder: 'entries', subfolder: '' };
  const [folder, ...inside] = relative.split(path.sep);
  const name = relative.replace(/\.[jt]s$/, '').replaceAll(path.sep, '/');
  return { folder: inside.length > 0 ? folder : 'entries', subfolder: inside.length > 1 ? inside[0] : '', name };
}

function layerOf(folder) {
  if (!Object.hasOwn(layers, folder)) throw new Error(`src/${folder} has no layer: add it to .config/layers.mjs.`);
  return layers[folder];
}

function layerInConversation(subfolder) {
  if (subfolder === '') return conversationLayers.length;
  const layer = conversationLayers.findIndex((folders) => folders.includes(subfolder));
  if (layer === -1) throw new Error(`src/conversation/${subfolder} has no layer: add it to .config/layers.mjs.`);
  return layer;
}
