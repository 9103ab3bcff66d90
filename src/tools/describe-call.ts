/** Asks a tool for the description of a call: a sentence and a preview for the card. Both may fail; the card is then shown without them. */
import type { Change } from '../model/calls.js';
import { deepFreeze } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { toPlain } from '../base/plain.js';
import { withDeadline } from './with-deadline.js';
import type { Log } from '../base/logging.js';
import { canonicalJson } from './digest.js';
import type { ToolContext, ToolDefinition } from './tool.js';

/** Maximum milliseconds that a tool may take to describe a call. */
export const DESCRIBE_LIMIT = 5000;

const SENTENCE_CHARS = 1000;
/** Maximum number of changes in a preview; further ones are only counted. */
export const CHANGES = 100;

export interface CallDescription {
  sentence?: string;
  preview?: readonly Change[];
  /** Number of changes that `preview` leaves out. */
  moreChanges?: number;
  /** Set if the sentence or the preview failed. */
  describeFailed?: true;
}

export interface DescribeOptions {
  tool: ToolDefinition;
  /** Returns a fresh copy of the arguments each time, because the tool may change them. */
  args(): unknown;
  context(signal: AbortSignal): ToolContext;
  log: Log;
  limit?: number | undefined;
  stop?: AbortSignal | undefined;
  /** Called with the canonical JSON of the changes that are only counted. */
  onMore?(text: string): void;
}

export async function describeCall(options: DescribeOptions): Promise<CallDescription> {
  const { describeCall: describe, preview } = options.tool;
  const failed: string[] = [];
  const onFailed = (what: string) => void failed.push(what);
  const [sentence, changes] = await Promise.all([
    describe && callDescriber('describeCall', (args, context) => describe(args, context), options, onFailed),
    preview && callDescriber('preview', (args, context) => preview(args, context), options, onFailed),
  ]);
  if (Array.isArray(changes)) reportMoreChanges(changes, options.onMore);
  const text = sentenceOf(sentence);
  return {
    ...(text !== undefined && { sentence: text }),
    ...(Array.isArray(changes) && readChanges(changes)),
    ...(failed.length > 0 && { describeFailed: true as const }),
  };
}

/** Returns the sentence of a tool; `undefined` if it has none. */
export const sentenceOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() ? cutText(given, SENTENCE_CHARS) : undefined;

/**
 * Runs one of the tool's describing functions.
 *
 *   @returns `undefined` if it did not answer; `onFailed` is then called, unless the turn was stopped
 */
export async function callDescriber(
  what: string,
  work: (args: Record<string, unknown>, context: ToolContext) => unknown,
  { tool, args, context, log, limit = DESCRIBE_LIMIT, stop }: DescribeOptions,
  onFailed: (what: string) => void,
): Promise<unknown> {
  const ending = await withDeadline((signal) => work(args() as Record<string, unknown>, context(signal)), { ms: limit, stop });
  if (ending.how === 'done') return ending.value;
  if (ending.how !== 'aborted') {
    onFailed(what);
    const error = ending.how === 'failed' ? ending.error : new Error(`No answer within ${String(limit)} ms`);
    log.warn('tool.describe', `\`${what}\` of tool ${tool.name} failed; the card does without it`, { toolName: tool.name }, { error });
  }
  return undefined;
}

export const readChanges = (changes: readonly unknown[]): { preview: Change[]; moreChanges?: number } => ({
  preview: changes.slice(0, CHANGES).flatMap(readChange),
  ...(changes.length > CHANGES && { moreChanges: changes.length - CHANGES }),
});

/** Passes on the canonical JSON of the changes that the card leaves out, for comparison. */
export function reportMoreChanges(changes: readonly unknown[], onMore?: (text: string) => void): void {
  if (onMore && changes.length > CHANGES)
    onMore(canonicalJson(changes.slice(CHANGES).flatMap((change) => readChange(change).map(({ target: _, ...rest }) => rest))));
}

/** Reads a change as plain, frozen data; returns an empty list if it cannot be shown. */
export function readChange(change: unknown): Change[] {
  const plain = toPlain(change, { depth: 8, nodes: 1000, chars: 100_000 }) as Partial<Change> | undefined;
  if (typeof plain?.label !== 'string') return [];
  const { label, path, before, after } = plain;
  // An element cannot be copied. `Element` does not exist outside a page.
  const target = (change as Change).target;
  return [
    deepFreeze({
      label,
      ...(typeof path === 'string' && { path }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(typeof Element === 'function' && target instanceof Element && { target }),
    }),
  ];
}
