/** Blocks of built-in protocols that are not active. Neither the blocks nor their content are read as calls. */
import { matchWord, NEED_MORE, NO_MATCH, skipBlanks } from '../scan.js';

const BLOCKS: readonly (readonly [protocol: string, start: string, end: string, first?: string])[] = [
  ['vcp', '<<<[TOOL_REQUEST]>>>', '<<<[END_TOOL_REQUEST]>>>'],
  ['tool-code', '<tool_code>', '</tool_code'],
  ['xml-invoke', '<tool_use>', '</tool_use', '<invoke'],
];

/**
 * Creates a check whether such a block begins, continues or ends at `at`. `NO_MATCH` or `NEED_MORE`: it does, so this is not a call or only more text
 * can tell. `undefined`: the position is outside of such blocks.
 *
 * @param active The protocol whose calls were read before, so that none of its blocks is left.
 */
export function createBuiltInBlocks(
  active: string | undefined,
): (text: string, at: number) => typeof NO_MATCH | typeof NEED_MORE | undefined {
  const blocks = BLOCKS.filter(([protocol]) => protocol !== active);
  let blockEnd: string | undefined; // the end of the open block

  return (text, at) => {
    if (blockEnd !== undefined) {
      const end = matchWord(text, at, blockEnd);
      if (end > NO_MATCH) blockEnd = undefined;
      return end === NEED_MORE ? NEED_MORE : NO_MATCH;
    }
    for (const [, start, end, first] of blocks) {
      const opened = matchWord(text, at, start);
      if (opened === NO_MATCH) continue;
      const next = opened === NEED_MORE || first === undefined ? opened : matchWord(text, skipBlanks(text, opened), first);
      if (next === NEED_MORE) return NEED_MORE;
      if (next === NO_MATCH) continue;
      blockEnd = end;
      return NO_MATCH;
    }
    return undefined;
  };
}
