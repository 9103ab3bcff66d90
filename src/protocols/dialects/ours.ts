/** Blocks of the built-in protocols that are not in force: they are not read, and nothing in them is. */
import { matchWord, MORE, NO, skipBlanks } from '../scan.js';

const BLOCKS: readonly (readonly [protocol: string, start: string, end: string, first?: string])[] = [
  ['vcp', '<<<[TOOL_REQUEST]>>>', '<<<[END_TOOL_REQUEST]>>>'],
  ['tool-code', '<tool_code>', '</tool_code'],
  ['xml-invoke', '<tool_use>', '</tool_use', '<invoke'],
];

/**
 * Tells whether such a block begins, goes on or ends at `at`: then that is no call, or only more text can tell. `undefined`: it is outside of these.
 *
 * @param active The protocol whose calls are read before, so that none of its blocks is left.
 */
export function createOurBlocks(active: string | undefined): (text: string, at: number) => typeof NO | typeof MORE | undefined {
  const blocks = BLOCKS.filter(([protocol]) => protocol !== active);
  let blockEnd: string | undefined; // of the block that is open

  return (text, at) => {
    if (blockEnd !== undefined) {
      const end = matchWord(text, at, blockEnd);
      if (end > NO) blockEnd = undefined;
      return end === MORE ? MORE : NO;
    }
    for (const [, start, end, first] of blocks) {
      const opened = matchWord(text, at, start);
      if (opened === NO) continue;
      const next = opened === MORE || first === undefined ? opened : matchWord(text, skipBlanks(text, opened), first);
      if (next === MORE) return MORE;
      if (next === NO) continue;
      blockEnd = end;
      return NO;
    }
    return undefined;
  };
}
