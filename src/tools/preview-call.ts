/** Asks a tool for the effects of a call before anything runs. A tool without `simulate` is asked for its `preview`. */
import type { Change } from '../model/calls.js';
import { deepFreeze, isObject } from '../base/objects.js';
import { toPlain } from '../base/plain.js';
import {
  callDescriber,
  describeCall,
  readChanges,
  reportMoreChanges,
  type CallDescription,
  type DescribeOptions,
} from './describe-call.js';
import { RESULT_CHARS } from './result.js';
import type { PreviewedStep, Simulated } from './tool.js';

/** The effects of one call, as far as they are known. */
export interface Effects {
  by?: 'simulate' | 'preview';
  changes?: readonly Change[];
  /** Number of changes that `changes` leaves out. */
  moreChanges?: number;
  /** The canonical JSON of the omitted changes, for comparison only; it is never shown. */
  beyond?: string;
  result?: unknown;
}

export interface CallPreview {
  effects: Effects;
  /** The description for the card. */
  description: CallDescription;
}

export async function previewCall(options: DescribeOptions, earlier: readonly PreviewedStep[]): Promise<CallPreview> {
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
  const answer = await callDescriber(
    'simulate',
    (args, context) => tool.simulate?.(args, Object.freeze({ ...context, earlier })),
    options,
    (what) => void failed.push(what),
  );
  if (!isObject(answer)) return { effects: {}, description: { ...said, ...(failed.length > 0 && { describeFailed: true as const }) } };
  const { changes: given, result } = answer as Simulated;
  const { preview: changes, ...rest } = Array.isArray(given) ? readChanges(given) : {};
  if (Array.isArray(given)) reportMoreChanges(given, onMore);
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
