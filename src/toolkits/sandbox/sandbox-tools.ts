/** Runs code that the model writes, isolated from everything: `browser_js_eval`. */
import { ToolError } from '../../base/errors.js';
import { createLog } from '../../base/logging.js';
import type { Logger } from '../../base/log.js';
import { readField } from '../../base/objects.js';
import { messageOf } from '../../base/plain.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { summarize } from '../read-response.js';
import { toolkitTextsFor, type ToolkitTexts } from '../toolkit-texts.js';
import { runInSandbox, START, type SandboxRun } from './run-in-sandbox.js';
import { sandboxAddress } from './sandbox-frame.js';

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
