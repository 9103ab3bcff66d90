/** Finds values that were truncated with a result's text. No pattern or literal would match their first part. */
import { fullEnglish } from '../../i18n/en.js';
import type { PublishedResult } from '../../model/calls.js';
import { resultText } from '../../tools/result.js';
import type { Finder, Known } from './find-values.js';

/**
 * Returns the part of a value that is left at the end of a truncated result, with the first character of the truncation mark, so that it
 * matches only there.
 */
export function partAtCut({ result, ...whole }: PublishedResult, find: Finder): Known | undefined {
  const full = resultText(whole, fullEnglish(), Infinity);
  // A note may precede the text. With little room, only its beginning is there.
  const from = [40, 8, 1].map((length) => result.indexOf(full.slice(0, length))).find((at) => at >= 0) ?? -1;
  if (from < 0 || full.length <= result.length - from) return undefined;
  let cut = 0;
  while (from + cut < result.length && result[from + cut] === full[cut]) cut += 1;
  const value = find(full).find(({ start, end }) => start < cut && end > cut);
  const mark = result.slice(from + cut, from + cut + 1);
  return value && { kind: value.kind, value: full.slice(value.start, cut) + mark, anywhere: mark !== '' };
}
