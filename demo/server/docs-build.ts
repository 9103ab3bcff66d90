/** Builds the documentation in a process of its own while the demo already runs, and knows how far the build is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isOlder } from '../../.config/widget.mjs';

export type DocsState =
  | { status: 'building'; step: string; seconds: number }
  /** `reason`: the first line of the error. */
  | { status: 'failed'; reason: string };

/** A message of `.config/docs-site.ts` to its parent. */
type Report = { step: string } | { failed: string };

export interface DocsBuild {
  /** `undefined`: no build runs, and none has failed. */
  state(): DocsState | undefined;
  /**
   * Builds the pages if they are missing or older than their sources.
   * @returns the seconds it took; `undefined` if there was nothing to do or the build was stopped
   * @throws with the first line of the error
   */
  build(): Promise<number | undefined>;
  stop(): void;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = 'docs/.vitepress/dist/index.html';
const SOURCES = ['docs', 'demo', 'CHANGELOG.md', 'custom-elements.json', 'dist/tool-chat.js'];

export function createDocsBuild(): DocsBuild {
  let child: ChildProcess | undefined;
  let started = 0;
  let step = 'starting';
  let reason: string | undefined;
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const stop = () => {
    child?.kill();
    child = undefined;
  };
  process.once('exit', stop);
  return {
    state() {
      if (child) return { status: 'building', step, seconds: seconds() };
      return reason === undefined ? undefined : { status: 'failed', reason };
    },
    async build() {
      if (!isOlder(BUILT, SOURCES)) return undefined;
      started = performance.now();
      child = startProcess();
      try {
        await ended(child, (name) => (step = name));
        return seconds();
      } catch (error) {
        if (!child) return undefined;
        reason = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        child = undefined;
      }
    },
    stop,
  };
}

function startProcess(): ChildProcess {
  // The generator's own output would only disturb; its errors are read below.
  const options = { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] satisfies ('ignore' | 'pipe' | 'ipc')[] };
  const child = spawn(process.execPath, ['--import=tsx', '.config/docs-site.ts'], options);
  try {
    // The demo comes first: the build takes the time that nothing else needs.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Some systems do not allow it. The build then competes with the demo, which still works.
  }
  return child;
}

/** Resolves when the process has ended well. */
function ended(child: ChildProcess, onStep: (step: string) => void): Promise<void> {
  let reason: string | undefined;
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-10_000)));
  child.on('message', (report: Report) => {
    if ('step' in report) onStep(report.step);
    else reason = report.failed;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      // A file that cannot even be loaded reports nothing: its error is only printed.
      else reject(new Error(reason ?? /^\w*Error\b.*$/m.exec(output)?.[0] ?? 'the build was stopped'));
    });
  });
}
