/**
 * A model inside the page: `endpoint="wllama:https://…/model.gguf"`. The library `@wllama/wllama` runs it with WebAssembly in a worker,
 * without any server; the page provides the library, by an import map or with `wllama({ load })`.
 *
 * A page holds one model at a time, and runs one answer after the other.
 */
import { loadTwice } from '../base/load.js';
import { createLocalFetch, readLocalModelStream, type LocalModelEvent } from './local-model-fetch.js';
import { field, stringOf } from './read-fields.js';
import { readMessages } from './wire-messages.js';
import type { Wire } from './wire.js';

/** The part of `@wllama/wllama` 3 that we use. */
export interface WllamaLibrary {
  Wllama: new (paths: { default: string }, config?: { suppressNativeLog?: boolean; logger?: object }) => WllamaEngine;
}

interface WllamaEngine {
  modelManager: { getModels(): Promise<{ url: string }[]> };
  loadModelFromUrl(
    url: string,
    options: {
      n_ctx: number;
      n_parallel: number;
      signal: AbortSignal;
      progressCallback(progress: { loaded: number; total: number }): void;
    },
  ): Promise<void>;
  createChatCompletion(request: object): Promise<AsyncIterable<unknown>>;
  exit(): Promise<void>;
}

export interface WllamaOptions {
  /** Loads the library. Default: `import('@wllama/wllama')`, for pages whose import map has it. */
  load?: () => Promise<WllamaLibrary>;
  /** The address of `wllama.wasm`. Default: the entry `@wllama/wllama/wllama.wasm` of the import map. */
  wasm?: string;
  /** Maximum number of tokens that the model reads and writes at once; more need more memory. Default 4096. */
  contextSize?: number;
}

/** Maximum file size in bytes. A larger file cannot be held in one piece. */
const LARGEST = 2 ** 31;
/** Factor of the file size for the memory needed: the file, its working memory and the page. */
const ROOM = 1.5;
const MEGABYTE = 1e6;

/** Reasons for a missing answer. The texts for users are in the message catalog. */
class InPageError extends Error {
  readonly code: 'NO_MODEL' | 'NEEDS_DOWNLOAD' | 'NO_ROOM';
  constructor(code: InPageError['code'], message = '') {
    super(message);
    this.code = code;
  }
}

/** Addresses of models whose download size the user has been told. */
const told = new Set<string>();

/**
 * Creates the wire for models in the page. The first question to a model that is not on the device does not download it: the reply is the
 * download size in megabytes, and "Retry" downloads it.
 */
export function wllama(options: WllamaOptions = {}): Wire {
  const { contextSize = 4096 } = options;
  let held: { address: string; engine: WllamaEngine } | undefined;
  let line = Promise.resolve();

  // The name is hidden from bundlers, so that projects without the library still build.
  const bring = (): Promise<WllamaLibrary> =>
    options.load ? loadTwice(options.load) : loadTwice(() => import(/* @vite-ignore */ /* webpackIgnore: true */ String(LIBRARY)));

  async function open(address: string, signal: AbortSignal, say: (event: LocalModelEvent) => void): Promise<WllamaEngine> {
    if (held?.address === address) return held.engine;
    await held?.engine.exit();
    held = undefined;
    const { Wllama } = await bring().catch(() => {
      throw new InPageError('NO_MODEL');
    });
    // Bundlers do not know `import.meta.resolve`: Rspack warns about a call of it, and webpack calls `undefined`.
    const { resolve } = import.meta as Partial<ImportMeta>;
    const wasm = options.wasm ?? resolve?.(`${LIBRARY}/wllama.wasm`);
    if (wasm === undefined) throw new InPageError('NO_MODEL');
    const engine = new Wllama({ default: wasm }, { suppressNativeLog: true });
    const isHere = (await engine.modelManager.getModels()).some(({ url }) => url === address);
    if (!isHere) await askBefore(address, signal);
    try {
      await engine.loadModelFromUrl(address, {
        n_ctx: contextSize,
        n_parallel: 1,
        signal,
        progressCallback: ({ loaded, total }) => {
          if (!isHere && total > 0) say({ type: 'progress', fraction: Math.min(1, loaded / total) });
        },
      });
    } catch (error) {
      await engine.exit().catch(ignore);
      throw error;
    }
    held = { address, engine };
    return engine;
  }

  async function converse(body: unknown, signal: AbortSignal, say: (event: LocalModelEvent) => void): Promise<void> {
    const engine = await open(stringOf(field(body, 'model')) ?? '', signal, say);
    if (signal.aborted) return;
    const chunks = await engine.createChatCompletion({ ...(body as object), stream: true, cache_prompt: true, abortSignal: signal });
    let finish: string | undefined;
    let usage: unknown;
    for await (const chunk of chunks) {
      if (signal.aborted) return;
      const choice = field(field(chunk, 'choices'), 0);
      const content = stringOf(field(field(choice, 'delta'), 'content'));
      if (content) say({ type: 'text', content });
      finish = stringOf(field(choice, 'finish_reason')) ?? finish;
      usage = field(chunk, 'usage') ?? usage;
    }
    const [input, output] = [field(usage, 'prompt_tokens'), field(usage, 'completion_tokens')];
    const counted = typeof input === 'number' && typeof output === 'number';
    say({ type: 'done', ...(finish !== undefined && { finish }), ...(counted && { usage: { input, output } }) });
  }

  /** Queues the questions: the model answers one after the other, and an aborted question leaves the queue. */
  const inLine = (body: unknown, signal: AbortSignal, say: (event: LocalModelEvent) => void): Promise<void> => {
    const turn = line.then(() => (signal.aborted ? undefined : converse(body, signal, say)));
    line = turn.catch(ignore);
    return turn;
  };

  return {
    id: 'wllama',
    tools: false,
    images: false,
    fits: (url) => url.protocol === 'wllama:',
    fetch: createLocalFetch(inLine, errorOf),
    request: (turn, endpoint) => ({
      url: new URL(endpoint),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: {
        model: addressIn(endpoint),
        messages: [
          ...(turn.system === '' ? [] : [{ role: 'system', content: turn.system }]),
          ...readMessages(turn, () => false, false).map(({ role, text: content }) => ({ role, content })),
        ],
        max_tokens: turn.maxTokens,
        ...(turn.temperature !== undefined && { temperature: turn.temperature }),
        ...(turn.grammar !== undefined && { grammar: turn.grammar }),
      },
    }),
    createReader: readLocalModelStream,
  };
}

/** The wire for pages whose import map has the library. */
export const pageModel = wllama();

const LIBRARY = '@wllama/wllama';
/** Returns the model's address from `wllama:https://…`, or `wllama:/models/…` of this page. */
function addressIn(endpoint: URL): string {
  const { href } = endpoint;
  const base = (globalThis as { document?: { baseURI: string } }).document?.baseURI;
  const address = URL.canParse(href.slice(href.indexOf(':') + 1), base) ? new URL(href.slice(href.indexOf(':') + 1), base) : undefined;
  return address?.protocol === 'https:' || address?.protocol === 'http:' ? address.href : '';
}

/** Rejects unless the device has room for the model and the user was told the download size. */
async function askBefore(address: string, signal: AbortSignal): Promise<void> {
  if (address === '') throw new InPageError('NO_MODEL');
  const head = await fetch(address, { method: 'HEAD', signal, credentials: 'omit' });
  const size = Number(head.headers.get('content-length') ?? NaN);
  if (!head.ok) throw new InPageError('NO_MODEL');
  const megabytes = size > 0 ? String(Math.ceil(size / MEGABYTE)) : '?';
  const { deviceMemory, storage } = ((globalThis as { navigator?: unknown }).navigator ?? {}) as Partial<Navigator> & {
    deviceMemory?: number;
  };
  const { quota = Infinity, usage = 0 } = (await storage?.estimate().catch(() => undefined)) ?? {};
  const memory = (deviceMemory ?? Infinity) * 2 ** 30;
  if (size > LARGEST || size * ROOM > memory || size > quota - usage) throw new InPageError('NO_ROOM', megabytes);
  if (told.has(address)) return;
  told.add(address);
  throw new InPageError('NEEDS_DOWNLOAD', megabytes);
}

function errorOf(error: unknown): { code?: string; message?: string } {
  if (error instanceof InPageError) return { code: error.code, message: error.message };
  if (field(error, 'type') === 'kv_cache_full') return { code: 'OVERFLOW' };
  if (field(error, 'type') === 'download_error') return { code: 'NO_MODEL' };
  return { message: error instanceof Error ? error.message : '' };
}

function ignore() {}
