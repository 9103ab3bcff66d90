/** The tools for the user's own files in the browser: `list_directory`, `read_file`, `write_file`. */
import { ToolError } from '../../base/errors.js';
import { readField } from '../../base/objects.js';
import type { Change } from '../../model/calls.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { toolkitTextsFor, type ToolkitTexts } from '../toolkit-texts.js';
import { FileError, openFileStore, type FileStore } from './file-store.js';
import { readPath, type ReadPath } from './paths.js';

export interface FileToolsOptions {
  /** The store of the files. Default: `openFileStore()`, which uses the browser's file system, else its database, else memory. */
  store?: FileStore;
  /** The store of overwritten contents, for undo, also after a reload. Default: `openFileStore('files-undo')`. */
  undoStore?: FileStore;
  /** Maximum UTF-16 units of a file. Default: 1,000,000. */
  maxFileChars?: number;
  /** Language of the texts that its tools show to the user. Default: the page's. */
  lang?: string;
}

const LARGEST = 1_000_000;
/** Maximum number of changes that can be undone, and of UTF-16 units in all of them together. */
const MOST_CHANGES = 50;
const MOST_CHARS = 5_000_000;
const CHANGES = ['changes.json'];

const path = { type: 'string', description: 'Path from the root, such as /notes/today.txt' };
const object = (properties: object, required: string[]) => ({ type: 'object', properties, required, additionalProperties: false });

/**
 * Creates the tools of a small file system in this browser. A file's content counts as untrusted, so changes need approval in a turn that
 * has read a file. A path that leads out of the root, or is ambiguous, is refused with an error message. Never throws.
 */
export function fileTools(options: FileToolsOptions = {}): ToolDefinition[] {
  const { store = openFileStore(), undoStore = openFileStore('files-undo'), maxFileChars = LARGEST } = options;
  const words = toolkitTextsFor(options.lang);
  const at = (args: Readonly<Record<string, unknown>>): ReadPath & { ok: true } => {
    const read = readPath(args['path']);
    if (read.ok) return read;
    throw new ToolError(words.noPath[read.problem](String(args['path'])), { code: 'INVALID_PARAMETER', errorType: 'invalid_format' });
  };
  // Lone surrogates cannot be stored. They are replaced first, so that the shown content is the written one and can be compared with it.
  const textOf = (args: Readonly<Record<string, unknown>>) => String(args['content']).replace(/\p{Cs}/gu, '\uFFFD');
  const shown = (args: Readonly<Record<string, unknown>>) => {
    const read = readPath(args['path']);
    return read.ok ? read.path : String(args['path']);
  };

  return [
    {
      name: 'list_directory',
      description: 'Lists what is in a directory: names, and whether each is a file or a directory. The root is /.',
      parameters: object({ path: { ...path, description: 'Path of the directory; / is the root' } }, ['path']),
      ...{ risk: 'query', label: words.listDirectory, icon: '📁' },
      describeCall: (args) => words.listSentence(shown(args)),
      async execute(args) {
        const { path: where, parts } = at(args);
        const entries = await store.list(parts).catch(refuse(words, where));
        if (!entries) throw new ToolError(words.noDirectory(where), { code: 'EXECUTION_FAILED' });
        return { path: where, entries };
      },
    },
    {
      name: 'read_file',
      description: 'Reads a text file and gives its content as it is.',
      parameters: object({ path }, ['path']),
      ...{ risk: 'query', label: words.readFile, icon: '📄', untrusted: true },
      describeCall: (args) => words.readSentence(shown(args)),
      async execute(args) {
        const { path: where, parts } = at(args);
        const content = await store.read(parts).catch(refuse(words, where));
        if (content === undefined) throw new ToolError(words.noFile(where), { code: 'EXECUTION_FAILED' });
        return { path: where, content };
      },
    },
    {
      name: 'write_file',
      description: 'Writes a text file, with the directories above it. What was in it before is replaced.',
      parameters: object({ path, content: { type: 'string', description: 'All that is to be in the file' } }, ['path', 'content']),
      ...{ risk: 'write', label: words.writeFile, icon: '📝', verbs: { allow: words.write, deny: words.dontWrite } },
      resource: 'tool-chat.files',
      describeCall: async (args) => {
        const read = readPath(args['path']);
        const isThere = read.ok && (await store.read(read.parts)) !== undefined;
        return (isThere ? words.overwriteSentence : words.writeSentence)(shown(args));
      },
      async preview(args): Promise<Change[]> {
        const { path: where, parts } = at(args);
        const before = await store.read(parts);
        const after = textOf(args);
        return before === after ? [] : [{ label: where, ...(before !== undefined && { before }), after }];
      },
      async execute(args, { requestId }) {
        const { path: where, parts } = at(args);
        const content = textOf(args);
        if (parts.length === 0) throw new ToolError(words.isDirectory(where), { code: 'INVALID_PARAMETER' });
        if (content.length > maxFileChars) throw new ToolError(words.fileTooLong(maxFileChars), { code: 'INVALID_PARAMETER' });
        const before = await store.read(parts).catch(refuse(words, where));
        // The old content is saved for undo before anything is changed.
        await keep(undoStore, { requestId, path: where, after: content, ...(before !== undefined && { before }) }).catch(
          refuse(words, where),
        );
        await store.write(parts, content).catch(refuse(words, where));
        return { success: true, message: (before === undefined ? words.written : words.overwritten)(where), data: { path: where } };
      },
      async undo({ requestId }) {
        const change = (await changesIn(undoStore)).find((one) => readField(one, 'requestId') === requestId);
        const read = readPath(readField(change, 'path'));
        if (!read.ok) throw new ToolError(words.cannotUndo);
        const now = await store.read(read.parts).catch(refuse(words, read.path));
        if (now !== readField(change, 'after')) throw new ToolError(words.changedSince(read.path));
        const before = readField(change, 'before');
        await (typeof before === 'string' ? store.write(read.parts, before) : store.remove(read.parts)).catch(refuse(words, read.path));
      },
    },
  ];
}

/** Reads the saved changes, oldest first. Any script of the site can write this file, so invalid content counts as an empty list. */
async function changesIn(store: FileStore): Promise<unknown[]> {
  try {
    const changes: unknown = JSON.parse((await store.read(CHANGES)) ?? '[]');
    return Array.isArray(changes) ? (changes as unknown[]) : [];
  } catch {
    return [];
  }
}

async function keep(store: FileStore, change: object): Promise<void> {
  const kept = [...(await changesIn(store)), change].slice(-MOST_CHANGES).map((one) => JSON.stringify(one));
  while (kept.length > 1 && kept.reduce((sum, one) => sum + one.length, 0) > MOST_CHARS) kept.shift();
  await store.write(CHANGES, `[${kept.join(',')}]`);
}

/** Translates an error of the tree or the platform into a `ToolError` with a sentence. */
const refuse =
  (words: ToolkitTexts, where: string) =>
  (error: unknown): never => {
    if (error instanceof FileError)
      throw new ToolError(error.problem === 'directory' ? words.isDirectory(where) : words.aboveIsFile(where));
    if (error instanceof Error && error.name === 'QuotaExceededError') throw new ToolError(words.storageFull, { cause: error });
    throw new ToolError(words.storageFails, { cause: error });
  };
