/**
 * One run of foreign code: a frame of an origin of its own, a worker in it, and a port between the worker and here that nobody else has. The code
 * never stands in the frame itself, which could send itself, and what it knows, to any address. Whatever happens, the frame goes.
 */
import { ToolError } from '../../base/errors.js';
import { createId } from '../../base/ids.js';
import type { Words } from '../toolkit-words.js';
import { sandboxFrame } from './sandbox-frame.js';

export interface SandboxRun {
  /** JSON of what the code gave; undefined where it gave nothing. */
  result?: string;
  /** It was too large: `result` is where its text begins. */
  isPart?: true;
  console: string[];
}

export interface SandboxRunOptions {
  url: URL;
  /** Milliseconds that the code has. */
  timeout: number;
  signal: AbortSignal;
  words: Words;
}

/** Milliseconds until the page in the frame has to have answered. */
export const START = 10_000;
/** What a worker that keeps to its bounds never sends more of. */
const MOST_MESSAGES = 250;
const MOST_CHARS = 1_000_000;

const LEVELS: readonly unknown[] = ['log', 'info', 'warn', 'error', 'debug'];

/** @throws ToolError with a sentence, and the lines of the console so far as its data */
export function runInSandbox(code: string, { url, timeout, signal, words }: SandboxRunOptions): Promise<SandboxRun> {
  const id = createId('run');
  const { port1: port, port2: theirs } = new MessageChannel();
  const frame = sandboxFrame(url);
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  frame.style.setProperty('display', 'none', 'important');
  const lines: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let received = 0;

  return new Promise<SandboxRun>((resolve, reject) => {
    const fail = (message: string, ending: 'EXECUTION_FAILED' | 'TIMEOUT' | 'CANCELLED' = 'EXECUTION_FAILED') =>
      reject(new ToolError(message, { code: ending, ...(lines.length > 0 && { data: { console: lines } }) }));
    const within = (ms: number, otherwise: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(otherwise, ms);
    };
    const endings: Readonly<Record<string, (text: string) => void>> = {
      begun: () => within(timeout, () => fail(words.codeTooLong(timeout / 1000), 'TIMEOUT')),
      more: () => void lines.push(words.codeMoreLines),
      nothing: () => resolve({ console: lines }),
      result: (result) => resolve({ result, console: lines }),
      part: (result) => resolve({ result, isPart: true, console: lines }),
      failed: (why) => fail(words.codeFailed(why)),
      exposed: () => fail(words.sandboxExposed),
      refused: () => fail(words.sandboxSilent(url.href)),
    };
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      received += 1;
      const [from, kind, text] = Array.isArray(data) ? (data as unknown[]) : [];
      if (received > MOST_MESSAGES) return fail(words.codeFlood);
      if (from !== id || typeof kind !== 'string' || typeof text !== 'string' || text.length > MOST_CHARS) return;
      if (LEVELS.includes(kind)) lines.push(kind === 'log' ? text : `${kind}: ${text}`);
      else if (Object.hasOwn(endings, kind)) endings[kind]?.(text);
    };
    // Its origin has no name that a message could be addressed to: what is there first is what the page named, and nothing else is told.
    frame.addEventListener('load', () => frame.contentWindow?.postMessage({ id, code }, '*', [theirs]), { once: true });
    within(START, () => fail(words.sandboxSilent(url.href)));
    signal.addEventListener('abort', () => fail(words.codeStopped, 'CANCELLED'), { once: true });
    if (signal.aborted) fail(words.codeStopped, 'CANCELLED');
    else document.documentElement.append(frame);
  }).finally(() => {
    clearTimeout(timer);
    frame.remove();
    port.close();
  });
}
