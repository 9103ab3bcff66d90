/**
 * The storage of files behind one small interface: in the browser's own file system, in its database, or in memory. Paths are normalized
 * parts.
 */

export interface Entry {
  name: string;
  kind: 'file' | 'directory';
}

/**
 * A store of files. Rejects with a `FileError` if the path conflicts with the tree, and with the platform's own error if that fails
 * (`QuotaExceededError`).
 */
export interface FileStore {
  /** Lists a directory, sorted by name; `undefined` if it does not exist. The root always exists. */
  list(parts: readonly string[]): Promise<Entry[] | undefined>;
  /** Reads a file; `undefined` if it does not exist. */
  read(parts: readonly string[]): Promise<string | undefined>;
  /** Writes a file. Creates the directories above it. */
  write(parts: readonly string[], content: string): Promise<void>;
  /** Removes a file, and the directories that become empty. */
  remove(parts: readonly string[]): Promise<void>;
  /**
   * Calls `changed` after each change by this store or, in another tab of the site, by a store of the same name. Returns a function that
   * stops it.
   */
  listen(changed: () => void): () => void;
}

/** `directory`: the path is a directory instead of a file. `file`: a part of the path is a file. */
export class FileError extends Error {
  readonly problem: 'directory' | 'file';
  constructor(problem: 'directory' | 'file') {
    super(problem);
    this.problem = problem;
  }
}

/** Opens the first storage that works here: the file system, the database, or memory. Tries them once for each name. */
export function openFileStore(name = 'files'): FileStore {
  const kept = stores.get(name);
  if (kept) return kept;
  const store = openTree(name);
  stores.set(name, store);
  return store;
}

const stores = new Map<string, FileStore>();

/** Opens a new store, as another tab does. */
export const openTree = (name: string): FileStore =>
  withNotifications(name, firstWorking([() => opfsTree(name), () => databaseTree(name)]));

type Tree = Omit<FileStore, 'listen'>;

/** Creates a store in memory, for tests and for pages that should not keep files. */
export const memoryFileStore = (): FileStore => withNotifications('', Promise.resolve(flatTree(memoryRows())));

const PROBE = '.tool-chat-probe';

async function firstWorking(ways: readonly (() => Promise<Tree>)[]): Promise<Tree> {
  for (const open of ways) {
    try {
      const tree = await open();
      // Tabs that open at the same time must not remove each other's probe, or they would use different storages.
      if (await works(tree, [`${PROBE}-${Math.random().toString(36).slice(2)}`])) return tree;
    } catch {
      // Try the next one.
    }
  }
  return flatTree(memoryRows());
}

async function works(tree: Tree, probe: readonly string[]): Promise<boolean> {
  try {
    await tree.write(probe, 'ok');
    return (await tree.read(probe)) === 'ok';
  } catch (error) {
    // A full storage still contains the files, so it counts as working.
    if (nameOf(error) === 'QuotaExceededError') return true;
    throw error;
  } finally {
    await tree.remove(probe);
  }
}

function withNotifications(name: string, opening: Promise<Tree>): FileStore {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const changed of listeners) changed();
  };
  const channel = name !== '' && typeof BroadcastChannel === 'function' ? new BroadcastChannel(`tool-chat-files ${name}`) : undefined;
  channel?.addEventListener('message', tell);
  // Outside a page, the channel must not keep the program running.
  (channel as { unref?: () => void } | undefined)?.unref?.();
  let last: Promise<unknown> = opening;
  // Changes run one after another, so that a value read before a write is still current when it is written.
  const change = (work: (tree: Tree) => Promise<void>): Promise<void> => {
    const done = last.catch(() => undefined).then(async () => work(await opening));
    last = done;
    return done.then(() => {
      channel?.postMessage(0);
      tell();
    });
  };
  return {
    list: async (parts) => (await (await opening).list(parts))?.filter(({ name: entry }) => !entry.startsWith(PROBE)),
    read: async (parts) => (parts.length > 0 ? (await opening).read(parts) : undefined),
    async write(parts, content) {
      if (parts.length === 0) throw new FileError('directory');
      await change((tree) => tree.write(parts, content));
    },
    remove: (parts) => change((tree) => tree.remove(parts)),
    listen(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

// --- The browser's file system -----------------------------------------------------------------------------------------

async function opfsTree(name: string): Promise<Tree> {
  const base = await navigator.storage.getDirectory();
  const root = await base.getDirectoryHandle(`tool-chat-${name}`, { create: true });
  const folder = async (parts: readonly string[], create = false): Promise<FileSystemDirectoryHandle | undefined> => {
    let at = root;
    for (const part of parts) {
      try {
        at = await at.getDirectoryHandle(part, { create });
      } catch (error) {
        if (nameOf(error) === 'NotFoundError') return undefined;
        if (nameOf(error) !== 'TypeMismatchError') throw error;
        if (create) throw new FileError('file');
        return undefined;
      }
    }
    return at;
  };
  const entries = async (at: FileSystemDirectoryHandle): Promise<Entry[]> => {
    const found: Entry[] = [];
    for await (const [entry, { kind }] of at.entries()) found.push({ name: entry, kind });
    return found.sort(byName);
  };
  const remove = async (parts: readonly string[]): Promise<void> => {
    const above = await folder(parts.slice(0, -1));
    if (!above) return;
    await above.removeEntry(parts.at(-1)!).catch((error: unknown) => {
      if (nameOf(error) !== 'NotFoundError') throw error;
    });
    for (let depth = parts.length - 1; depth > 0; depth -= 1) {
      const at = await folder(parts.slice(0, depth));
      if (at && (await entries(at)).length > 0) return;
      await (await folder(parts.slice(0, depth - 1)))?.removeEntry(parts[depth - 1]!);
    }
  };
  const read = async (parts: readonly string[]): Promise<string | undefined> => {
    const at = await folder(parts.slice(0, -1));
    try {
      const file = await (await at?.getFileHandle(parts.at(-1)!))?.getFile();
      // `text()` would drop a byte order mark.
      return file && new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer());
    } catch (error) {
      if (nameOf(error) === 'NotFoundError' || nameOf(error) === 'TypeMismatchError') return undefined;
      throw error;
    }
  };
  return {
    async list(parts) {
      const at = await folder(parts);
      return at && entries(at);
    },
    read,
    async write(parts, content) {
      const isNew = (await read(parts)) === undefined;
      const at = (await folder(parts.slice(0, -1), true))!;
      const file = await at.getFileHandle(parts.at(-1)!, { create: true }).catch((error: unknown) => {
        throw nameOf(error) === 'TypeMismatchError' ? new FileError('directory') : error;
      });
      let stream: FileSystemWritableFileStream | undefined;
      try {
        stream = await file.createWritable();
        await stream.write(content);
        await stream.close();
      } catch (error) {
        await stream?.abort().catch(() => undefined);
        // The file exists before its content is written, so remove a new one again.
        if (isNew) await remove(parts).catch(() => undefined);
        throw error;
      }
    },
    remove,
  };
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
const byName = (one: Entry, other: Entry) => (one.name < other.name ? -1 : 1);

// --- Rows: a path and its content ------------------------------------------------------------------------------------------

interface Rows {
  paths(): Promise<string[]>;
  get(path: string): Promise<string | undefined>;
  set(path: string, content: string): Promise<void>;
  delete(path: string): Promise<void>;
}

const memoryRows = (rows = new Map<string, string>()): Rows => ({
  paths: () => Promise.resolve([...rows.keys()]),
  get: (path) => Promise.resolve(rows.get(path)),
  set: (path, content) => Promise.resolve(void rows.set(path, content)),
  delete: (path) => Promise.resolve(void rows.delete(path)),
});

/** Uses IndexedDB without a library, because this entry point has to work in a page without a bundler. */
async function databaseTree(name: string): Promise<Tree> {
  const opening = indexedDB.open(`tool-chat-files-${name}`, 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore('files');
  const db = await answerOf(opening);
  db.onversionchange = () => db.close();
  const rows = (mode: IDBTransactionMode) => db.transaction('files', mode).objectStore('files');
  const change = async (work: (files: IDBObjectStore) => IDBRequest): Promise<void> => {
    const files = rows('readwrite');
    const asked = answerOf(work(files));
    await new Promise<void>((resolve, reject) => {
      files.transaction.oncomplete = () => resolve();
      files.transaction.onabort = () => reject(files.transaction.error ?? new Error('The database gave up'));
    });
    await asked;
  };
  return flatTree({
    paths: async () => (await answerOf(rows('readonly').getAllKeys())).map(String),
    get: (path) => answerOf(rows('readonly').get(path) as IDBRequest<string | undefined>),
    set: (path, content) => change((files) => files.put(content, path)),
    delete: (path) => change((files) => files.delete(path)),
  });
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The database did not answer'));
  });

/** Implements a tree over paths. A directory exists as long as it contains a file. */
function flatTree(rows: Rows): Tree {
  const pathOf = (parts: readonly string[]) => parts.map((part) => `/${part}`).join('');
  const below = async (path: string) => (await rows.paths()).filter((one) => one.startsWith(`${path}/`));
  return {
    async list(parts) {
      const at = pathOf(parts);
      const found = new Map<string, Entry>();
      for (const path of await below(at)) {
        const [name, ...more] = path.slice(at.length + 1).split('/') as [string, ...string[]];
        found.set(name, { name, kind: more.length > 0 ? 'directory' : 'file' });
      }
      return found.size === 0 && parts.length > 0 ? undefined : [...found.values()].sort(byName);
    },
    read: (parts) => rows.get(pathOf(parts)),
    async write(parts, content) {
      const path = pathOf(parts);
      if ((await below(path)).length > 0) throw new FileError('directory');
      for (let depth = 1; depth < parts.length; depth += 1)
        if ((await rows.get(pathOf(parts.slice(0, depth)))) !== undefined) throw new FileError('file');
      await rows.set(path, content);
    },
    remove: (parts) => rows.delete(pathOf(parts)),
  };
}
