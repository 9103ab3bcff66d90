/** The pages of `docs/`, cut into what a test can use: blocks, samples that can be loaded, rows of tables. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
export const doors: Record<string, string> = {
  'tool-chat': 'src/index.ts',
  'tool-chat/core': 'src/core.ts',
  'tool-chat/relay': 'src/relay/index.ts',
  'tool-chat/protocols': 'src/protocols/index.ts',
  'tool-chat/testing': 'src/testing/index.ts',
  'tool-chat/webmcp': 'src/webmcp/index.ts',
  'tool-chat/mcp': 'src/mcp/index.ts',
  'tool-chat/tools': 'src/toolkits/index.ts',
};

export const page = (name: string): Promise<string> => readFile(new URL(name, root), 'utf8');

export interface Block {
  language: string;
  source: string;
  /** Undefined where the page gives none. */
  name: string | undefined;
}

export function blocksOf(text: string): Block[] {
  const blocks = text.matchAll(/(?:<!-- sample: (\w+) -->\n+)?^(`{3,})(\w*)\n([\s\S]*?)\n\2$/gm);
  return [...blocks].map(([, name, , language = '', source = '']) => ({ name, language, source }));
}

/** The rows of a table, by cell, without backticks. */
export function rowsOf(text: string, name: string): string[][] {
  const [, table = ''] = new RegExp(`<!-- table: ${name} -->\\n+((?:\\|.*\\n)+)`).exec(text) ?? [];
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/^`|`$/g, '')),
  );
}

let folder = '';

export async function openSamples(): Promise<void> {
  // Within the project, where the packages that a sample imports are found.
  const cache = fileURLToPath(new URL('node_modules/.cache/', root));
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(path.join(cache, 'samples-'));
}

export const closeSamples = (): Promise<void> => rm(folder, { recursive: true });

/** @throws where `docs/<name>.md` has no sample of this name */
export async function sampleOf(name: string, sample: string): Promise<string> {
  const block = blocksOf(await page(`docs/${name}.md`)).find((one) => one.name === sample);
  if (!block) throw new Error(`docs/${name}.md has no sample ${sample}.`);
  return block.source;
}

/** Loads a sample of a page. What it imports comes from the source, since nothing may be built yet. */
export async function load<Module>(name: string, sample: string): Promise<Module> {
  const source = (await sampleOf(name, sample))
    .replace(/(?<=^import .* from )'(tool-chat\/[^']+)'/gm, (_, door: string) => JSON.stringify(new URL(doors[door] ?? door, root).href))
    .replace(/(?<=^import .* from '\.\/\w+)\.js/gm, '.mjs');
  await mkdir(path.join(folder, name), { recursive: true });
  const file = path.join(folder, name, `${sample}.mjs`);
  await writeFile(file, source);
  return (await import(file)) as Module;
}

/** Runs with these in the place of what the page would have, and puts everything back. */
export async function withGlobals<Result>(values: Record<string, unknown>, run: () => Result): Promise<Awaited<Result>> {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  try {
    return await run();
  } finally {
    for (const [name, was] of before)
      if (was) Object.defineProperty(globalThis, name, was);
      else Reflect.deleteProperty(globalThis, name);
  }
}

/** A `fetch` that answers what begins with this address, and sends everything else on. */
export function fetchOf(begins: string, answer: (url: string, init?: RequestInit) => Response): typeof fetch {
  const { fetch } = globalThis;
  return (url, init) => (String(url).startsWith(begins) ? Promise.resolve(answer(String(url), init)) : fetch(url, init));
}
