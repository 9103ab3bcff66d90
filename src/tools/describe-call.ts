/** Asks a tool what one call would do: a sentence and a preview for the card. Both may fail; the card then does without. */
import type { Change } from '../model/calls.js';
import { deepFreeze } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { toPlain } from '../base/plain.js';
import { runLimited } from './limited.js';
import type { Log } from '../base/logging.js';
import { canonicalJson } from './digest.js';
import type { ToolContext, ToolDefinition } from './tool.js';

/** Milliseconds a tool may take to describe a call. */
export const DESCRIBE_LIMIT = 5000;

const SENTENCE_CHARS = 1000;
/** More of them are only counted. */
export const CHANGES = 100;

export interface CallDescription {
  sentence?: string;
  preview?: readonly Change[];
  /** So many changes more than `preview` has. */
  moreChanges?: number;
  /** One of the two could not be had. */
  describeFailed?: true;
}

export interface DescribeOptions {
  tool: ToolDefinition;
  /** A fresh copy each time, for a description may change what it gets. */
  args(): unknown;
  context(signal: AbortSignal): ToolContext;
  log: Log;
  limit?: number | undefined;
  stop?: AbortSignal | undefined;
  /** Hears what the changes are that are only counted. */
  onMore?(text: string): void;
}

export async function describeCall(options: DescribeOptions): Promise<CallDescription> {
  const { describeCall: describe, preview } = options.tool;
  const failed: string[] = [];
  const onFailed = (what: string) => void failed.push(what);
  const [sentence, changes] = await Promise.all([
    describe && ask('describeCall', (args, context) => describe(args, context), options, onFailed),
    preview && ask('preview', (args, context) => preview(args, context), options, onFailed),
  ]);
  if (Array.isArray(changes)) tellMore(changes, options.onMore);
  const text = sentenceOf(sentence);
  return {
    ...(text !== undefined && { sentence: text }),
    ...(Array.isArray(changes) && readChanges(changes)),
    ...(failed.length > 0 && { describeFailed: true as const }),
  };
}

/** The sentence that a tool gave; `undefined` if it gave none. */
export const sentenceOf = (given: unknown): string | undefined =>
  typeof given === 'string' && given.trim() ? cutText(given, SENTENCE_CHARS) : undefined;

/** @returns `undefined` where the tool did not answer; `onFailed` hears of it */
export async function ask(
  what: string,
  work: (args: Record<string, unknown>, context: ToolContext) => unknown,
  { tool, args, context, log, limit = DESCRIBE_LIMIT, stop }: DescribeOptions,
  onFailed: (what: string) => void,
): Promise<unknown> {
  const ending = await runLimited((signal) => work(args() as Record<string, unknown>, context(signal)), { ms: limit, stop });
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

/** A digest of the changes that no card shows, to compare. */
export function tellMore(changes: readonly unknown[], onMore?: (text: string) => void): void {
  if (onMore && changes.length > CHANGES)
    onMore(canonicalJson(changes.slice(CHANGES).flatMap((change) => readChange(change).map(({ target: _, ...rest }) => rest))));
}

/** Plain and frozen; nothing where it cannot be shown. */
export function readChange(change: unknown): Change[] {
  const plain = toPlain(change, { depth: 8, nodes: 1000, chars: 100_000 }) as Partial<Change> | undefined;
  if (typeof plain?.label !== 'string') return [];
  const { label, path, before, after } = plain;
  // An element cannot be copied; outside of pages there is none.
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
