/**
 * Runs untrusted code once, in a worker inside a frame with its own opaque origin, connected by a private port. The code never runs in the
 * frame itself, which could navigate and so send data to any address. The frame is always removed at the end.
 */
import { ToolError } from '../../base/errors.js';
import { createId } from '../../base/ids.js';
import type { ToolkitTexts } from '../toolkit-texts.js';
import { sandboxFrame } from './sandbox-frame.js';

export interface SandboxRun {
  /** The code's result as JSON; `undefined` if it has none. */
  result?: string;
  /** Set if the result was too large: `result` is then the beginning of its text. */
  isPart?: true;
  console: string[];
}

export interface SandboxRunOptions {
  url: URL;
  /** Maximum run time of the code in milliseconds. */
  timeout: number;
  signal: AbortSignal;
  words: ToolkitTexts;
}

/** Milliseconds in which the page in the frame has to answer. */
export const START = 10_000;
/** Limits that a correct worker never exceeds. */
const MOST_MESSAGES = 250;
const MOST_CHARS = 1_000_000;

const LEVELS: readonly unknown[] = ['log', 'info', 'warn', 'error', 'debug'];

/**
 * Runs the code.
 *
 *   @throws ToolError with a message, and the console lines so far as its data
 */
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
    // An opaque origin cannot be named as a target, so the target is `*`. The first document in the frame is the one that the page
    // configured, and only it gets the message.
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
