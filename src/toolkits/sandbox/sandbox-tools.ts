/** Runs code that the model writes, isolated from everything: `browser_js_eval`. */
import { ToolError } from '../../base/errors.js';
import { createLog } from '../../base/logging.js';
import type { Logger } from '../../base/log.js';
import { readField } from '../../base/objects.js';
import { messageOf } from '../../base/plain.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { summarize } from '../read-response.js';
import { toolkitTextsFor, type ToolkitTexts } from '../toolkit-texts.js';
import { sandboxAddress, sandboxFrame } from './sandbox-frame.js';
import { createId } from '../../base/ids.js';

export interface SandboxOptions {
  /** The address at which your site serves `tool-chat-sandbox.html` of the package. Default: `sandbox-url` of the page's `<tool-chat>`. */
  sandboxUrl?: string;
  /** Maximum run time of the code in milliseconds. Default: 5,000. */
  timeout?: number;
  /**
   * Dangerous. `true` adds `page_js_eval`, whose code runs in your page itself: it can do and read everything that the user can, send it
   * anywhere, and cannot be stopped. Only for developers' pages about themselves.
   */
  allowPageEval?: boolean;
  /** Language of the texts that its tools show to the user. Default: the page's. */
  lang?: string;
  /** The logger. Default: the console. */
  logger?: Logger;
}

const LIMIT = 5000;

const parameters = {
  type: 'object',
  properties: { code: { type: 'string', description: 'JavaScript; the value of its last expression, or what it returns, is the result.' } },
  required: ['code'],
  additionalProperties: false,
};

/**
 * Creates `browser_js_eval(code)`, which runs JavaScript in a worker inside a frame with its own opaque origin, without network, storage or
 * page, and returns the result and the console lines. Its risk is `danger`, so it needs approval. Without a sandbox page there is a warning
 * instead of the tool. Never throws.
 */
export function sandboxTools(options: SandboxOptions = {}): ToolDefinition[] {
  const log = createLog({ level: 'warn', ...(options.logger && { logger: options.logger }) });
  const words = toolkitTextsFor(options.lang);
  const tools: ToolDefinition[] = [];
  const given = options.sandboxUrl ?? ofElement();
  if (sandboxAddress(given)) tools.push(inSandbox(options, words));
  else
    log.warn(
      'sandbox.off',
      given
        ? 'sandboxTools() offers no browser_js_eval: `sandboxUrl` is no address of the web.'
        : 'sandboxTools() offers no browser_js_eval: it needs `sandboxUrl`, or `sandbox-url` of <tool-chat>, where your site serves tool-chat-sandbox.html.',
    );
  if (options.allowPageEval === true) tools.push(inPage(words));
  return tools;
}

function inSandbox(options: SandboxOptions, words: ToolkitTexts): ToolDefinition {
  const timeout = Number.isFinite(options.timeout) && Number(options.timeout) > 0 ? Number(options.timeout) : LIMIT;
  return {
    name: 'browser_js_eval',
    description:
      'Runs JavaScript in an empty sandbox and gives the result and what it wrote to the console. For calculating and for changing data that you put into the code; there is no page, network or storage. `await` and `return` work.',
    ...{ parameters, risk: 'danger', label: words.runCode },
    timeout: START + timeout + 1000,
    async execute(args, { signal }) {
      const url = sandboxAddress(options.sandboxUrl ?? ofElement());
      if (!url) throw new ToolError(words.sandboxSilent(''), { code: 'EXECUTION_FAILED' });
      return readRun(await runInSandbox(String(args['code']), { url, timeout, signal, words }), words);
    },
  };
}

function readRun({ result, isPart, console }: SandboxRun, words: ToolkitTexts): unknown {
  const lines = console.length > 0 && { console };
  if (result === undefined) return { result: words.codeGaveNothing, ...lines };
  if (isPart) return { result: `${result}…`, truncated: true, ...lines };
  return { result: summarize(JSON.parse(result), words), ...lines };
}

function inPage(words: ToolkitTexts): ToolDefinition {
  return {
    name: 'page_js_eval',
    description: 'Runs JavaScript in the page itself, with all that the page can do, and gives the value of its last expression.',
    ...{ parameters, risk: 'danger', label: words.runPageCode },
    async execute(args) {
      try {
        const { eval: evaluate } = globalThis;
        const result: unknown = await evaluate(String(args['code']));
        return { result: result === undefined ? words.codeGaveNothing : result };
      } catch (error) {
        throw new ToolError(words.codeFailed(messageOf(error)), { code: 'EXECUTION_FAILED' });
      }
    },
  };
}

/** Returns the first `sandbox-url` of an element in the page. */
function ofElement(): string | undefined {
  const elements = typeof document === 'undefined' ? [] : [...document.querySelectorAll('tool-chat')];
  const urls = elements.map((element) => readField(element, 'sandboxUrl') || element.getAttribute('sandbox-url'));
  return urls.find((url): url is string => typeof url === 'string' && url !== '');
}

/**
 * Runs untrusted code once, in a worker inside a frame with its own opaque origin, connected by a private port. The code never runs in the
 * frame itself, which could navigate and so send data to any address. The frame is always removed at the end.
 */
interface SandboxRun {
  /** The code's result as JSON; `undefined` if it has none. */
  result?: string;
  /** Set if the result was too large: `result` is then the beginning of its text. */
  isPart?: true;
  console: string[];
}

interface SandboxRunOptions {
  url: URL;
  /** Maximum run time of the code in milliseconds. */
  timeout: number;
  signal: AbortSignal;
  words: ToolkitTexts;
}

/** Milliseconds in which the page in the frame has to answer. */
const START = 10_000;
/** Limits that a correct worker never exceeds. */
const MOST_MESSAGES = 250;
const MOST_CHARS = 1_000_000;

const LEVELS: readonly unknown[] = ['log', 'info', 'warn', 'error', 'debug'];

/**
 * Runs the code.
 *
 *   @throws ToolError with a message, and the console lines so far as its data
 */
function runInSandbox(code: string, { url, timeout, signal, words }: SandboxRunOptions): Promise<SandboxRun> {
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
