/** Asks a tool what one call would do, before anything runs. A tool that has no `simulate` is asked for its `preview`. */
import type { Change } from '../model/calls.js';
import { deepFreeze, isObject } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import { ask, describeCall, readChanges, tellMore, type CallDescription, type DescribeOptions } from './describe-call.js';
import { RESULT_CHARS } from './result.js';
import type { RehearsedStep, Simulated } from './tool.js';

/** What one call would do, as far as it is known. */
export interface Effects {
  by?: 'simulate' | 'preview';
  changes?: readonly Change[];
  /** So many more than these. */
  moreChanges?: number;
  /** A digest of those, to compare; nothing of it is shown. */
  beyond?: string;
  result?: unknown;
}

export interface Foreseen {
  effects: Effects;
  /** For the card. */
  description: CallDescription;
}

export async function foreseeCall(options: DescribeOptions, earlier: readonly RehearsedStep[]): Promise<Foreseen> {
  const { tool } = options;
  let beyond: string | undefined;
  const onMore = (text: string) => void (beyond = text);
  const { preview, moreChanges, ...said } = await describeCall({ ...options, ...(!tool.simulate && { onMore }) });
  const more = moreChanges !== undefined && { moreChanges };
  if (!tool.simulate)
    return {
      effects: preview ? { by: 'preview', changes: preview, ...more, ...(beyond !== undefined && { beyond }) } : {},
      description: { ...said, ...(preview && { preview, ...more }) },
    };
  const failed: string[] = [];
  const answer = await ask(
    'simulate',
    (args, context) => tool.simulate?.(args, Object.freeze({ ...context, earlier })),
    options,
    (what) => void failed.push(what),
  );
  if (!isObject(answer)) return { effects: {}, description: { ...said, ...(failed.length > 0 && { describeFailed: true as const }) } };
  const { changes: given, result } = answer as Simulated;
  const { preview: changes, ...rest } = Array.isArray(given) ? readChanges(given) : {};
  if (Array.isArray(given)) tellMore(given, onMore);
  const plain = toPlain(result, { depth: 16, nodes: 10_000, chars: RESULT_CHARS });
  return {
    effects: {
      ...{ by: 'simulate', ...(changes && { changes }), ...rest },
      ...(beyond !== undefined && { beyond }),
      ...(plain !== undefined && { result: deepFreeze(plain) }),
    },
    description: { ...said, ...(changes && { preview: changes }), ...rest },
  };
}
