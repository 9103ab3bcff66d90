/** Imports the tools that the page offers to its browser. Calls are validated and need approval like those of all other tools. */
import { type Allowance, allowanceOfTool, createAllowance, isSpent, spend } from '../base/allowance.js';
import { createLog } from '../base/logging.js';
import type { Logger } from '../base/log.js';
import { own } from '../base/objects.js';
import { ToolError } from '../base/errors.js';
import type { Risk } from '../model/calls.js';
import type { ToolHost } from '../mcp/connect-mcp.js';
import { readResult } from '../mcp/mcp-results.js';
import { summarize } from '../toolkits/read-response.js';
import { foreignSchema, PARTS_OF_TOOL } from '../toolkits/foreign-schema.js';
import { toolkitTextsFor, type ToolkitTexts } from '../toolkits/toolkit-texts.js';
import { shorter, snakeCase, uniqueName } from '../tools/tool-naming.js';
import type { ToolDefinition } from '../tools/tool.js';
import { replaceable, sourceAt, withSource } from '../tools/tool-source.js';
import { createYield } from '../tools/yield-to-main.js';
import {
  execute,
  isMcpResult,
  modelContext,
  offeredTools,
  published,
  readOutcome,
  type ModelContext,
  type OfferedTool,
} from './model-context.js';
import { importedTools } from './publish-tools.js';

/** Maximum length of a title and of a description. */
export const TITLE_CHARS = 60;
export const DESCRIPTION_CHARS = 800;

/** Maximum number of schema nodes read in a whole list. A hundred characters cost as much as one node. */
const PARTS_OF_LIST = 200_000;
/** Milliseconds of work before yielding. */
const AT_ONCE = 16;

export interface WebMcpOptions {
  /**
   * True to trust the tools: their read-only hints count, and tool descriptions from other frames do not make other tools need approval.
   * Default: false, so every tool needs approval.
   */
  trusted?: boolean;
  /** The names of the tools to import, or a function that selects them. Default: all. */
  filter?: readonly string[] | ((tool: { name: string; origin: string; annotations: Readonly<Record<string, unknown>> }) => boolean);
  /** The language of messages from the connection. Default: the page's. */
  lang?: string;
  /** The logger for warnings. Default: the console. */
  logger?: Logger;
}

export interface WebMcpConnection {
  /** True if the browser supports WebMCP. */
  readonly available: boolean;
  /** The names of the tools that are registered now. */
  readonly tools: readonly string[];
  close(): void;
}

/** Registers the page's tools and follows their changes. Does nothing if the browser does not support WebMCP. Never rejects. */
export async function connectWebMcp(chat: ToolHost, options: WebMcpOptions = {}): Promise<WebMcpConnection> {
  const context = modelContext();
  if (!context?.getTools || !context.executeTool) return { available: false, tools: [], close: () => undefined };
  const log = createLog({ level: 'warn', ...(options.logger && { logger: options.logger }) });
  const words = toolkitTextsFor(options.lang);
  const held = new Map<string, { name: string; source: string; off: () => void }>();
  let closed = false;
  /** A function, because TypeScript would assume the value unchanged after an `await`. */
  const isClosed = () => closed;
  let following = Promise.resolve();
  let next: Promise<void> | undefined;

  function drop(name: string): void {
    log.warn(
      'webmcp.dropped',
      `The page's tool ${shorter(name, 80)} could not be registered: its name is taken, it is no tool, its schema is too large, or its frame has no address.`,
    );
  }

  async function read(): Promise<void> {
    const listed = await offeredTools(context!).catch(() => []);
    const wanted = new Map<string, { tool: OfferedTool; source: string }>();
    const breathe = createYield(AT_ONCE);
    // A frame may offer a tool under the name of the page's own, which must not take its place.
    for (const tool of listed.sort((one, other) => Number(isOwnTool(other)) - Number(isOwnTool(one)))) {
      try {
        if (published.has(tool.name) || !isWanted(tool, options.filter)) continue;
        if (wanted.has(tool.name)) drop(tool.name);
        else wanted.set(tool.name, { tool, source: sourceOf(tool) });
      } catch {
        drop(tool.name);
      }
      await breathe();
    }
    if (isClosed()) return;
    for (const [name, { off, source }] of held) {
      if (wanted.get(name)?.source === source) wanted.delete(name);
      else {
        off();
        held.delete(name);
      }
    }
    const whole = createAllowance(PARTS_OF_LIST);
    for (const [name, { tool, source }] of wanted) {
      const replaced = () => {
        held.get(name)?.off();
        held.delete(name);
        drop(name);
      };
      const left = allowanceOfTool(whole, PARTS_OF_TOOL);
      try {
        const made = spend(left, source.length / 100) ? toolOf(context!, tool, options, words, left) : undefined;
        if (!made || isSpent(left)) drop(name);
        else {
          const definition = withSource(replaceable(made, replaced), ownerOf(tool, options));
          importedTools.add(definition);
          held.set(name, { name: definition.name, source, off: chat.registerTool(definition) });
        }
      } catch {
        drop(name);
      }
      await breathe();
      if (isClosed()) return;
    }
  }

  // A frame may change its tools without end. A waiting read covers all changes until it starts.
  const follow = () =>
    (next ??= following =
      following.then(() => {
        next = undefined;
        return closed ? undefined : read();
      }));
  context.addEventListener('toolchange', follow);
  await follow();
  return {
    available: true,
    get tools() {
      return [...held.values()].map(({ name }) => name);
    },
    close() {
      closed = true;
      context.removeEventListener('toolchange', follow);
      for (const { off } of held.values()) off();
      held.clear();
    },
  };
}

const pageNow = () => (globalThis as { location?: { href: string; origin: string } }).location;

const isOwnTool = ({ origin }: OfferedTool): boolean => origin === pageNow()?.origin;

const sourceOf = ({ handle: _, ...tool }: OfferedTool): string => JSON.stringify(tool);

/**
 * Returns the source of a tool by the frame that the browser reports. A tool from the page's own origin belongs to the page, even without
 * `trusted`.
 */
function ownerOf({ origin }: OfferedTool, { trusted = false }: WebMcpOptions): ReturnType<typeof sourceAt> {
  const page = pageNow();
  const address = origin || page?.href;
  // A sandboxed frame has the origin `null`, so the user could not be told who owns the tool.
  return address === undefined ? undefined : sourceAt(new URL(address), trusted || origin === page?.origin);
}

function isWanted(tool: OfferedTool, filter: WebMcpOptions['filter']): boolean {
  return typeof filter === 'function' ? filter(tool) : (filter?.includes(tool.name) ?? true);
}

function riskOf({ annotations }: OfferedTool, trusted: boolean | undefined): Risk | undefined {
  if (annotations['consequentialHint'] === true || annotations['destructiveHint'] === true) return 'danger';
  return trusted === true && annotations['readOnlyHint'] === true ? 'query' : undefined;
}

function toolOf(
  context: ModelContext,
  tool: OfferedTool,
  { trusted }: WebMcpOptions,
  words: ToolkitTexts,
  left: Allowance,
): ToolDefinition {
  const risk = riskOf(tool, trusted);
  const { name, title, description, inputSchema } = tool;
  const label = shorter(title.replace(/\s+/g, ' ').trim(), TITLE_CHARS);
  return {
    name: uniqueName(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name) ? name : snakeCase(name), new Map()),
    description:
      shorter(
        description
          .slice(0, 4 * DESCRIPTION_CHARS)
          .replace(/\s+/g, ' ')
          .trim(),
        DESCRIPTION_CHARS,
      ) ||
      label ||
      name.slice(0, 64),
    parameters: { ...foreignSchema(inputSchema, left), type: 'object' },
    untrusted: true,
    ...(label && { label }),
    ...(risk && { risk }),
    async execute(args, { signal }) {
      let outcome: unknown;
      try {
        outcome = readOutcome(await execute(context, tool, args, signal));
      } catch {
        signal.throwIfAborted();
        // The browser drops the tool's error message.
        throw new ToolError(words.refused, { code: 'EXECUTION_FAILED' });
      }
      if (isMcpResult(outcome)) return readResult(outcome, words);
      if (own(outcome, 'isError') === true)
        throw new ToolError(words.refused, { code: 'EXECUTION_FAILED', data: summarize(outcome, words) });
      return outcome === undefined || outcome === '' ? words.done : summarize(outcome, words);
    },
  };
}
