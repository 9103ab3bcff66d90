/** The parser of `json-action`: one or more fenced objects with `"action": "tool_call"`. */
import type { JsonBlockFormat } from '../json/block.js';
import { openFence } from '../json/block-ends.js';
import { actionEchoFormat, jsonReaderOf } from '../json/echoed-results.js';

/** While only these keys were seen, the object may be a call. Any other key shows that it is ordinary code. */
const KEYS = new Set(['action', 'name', 'arguments', 'parameters', 'id', 'thought']);

const blockFormat: JsonBlockFormat = {
  openers: '`~',
  alone: ['```json\n', '\n```'],
  open: openFence,
  depth: (frames) => (frames[0]?.list ? 1 : 0),
  isCall(key, value) {
    if (value === undefined) return KEYS.has(key) ? undefined : false;
    return key === 'action' ? value === 'tool_call' : undefined;
  },
  // No backtracking: nothing that may follow the blanks is itself a blank.
  sign: /["']?action["']?\s*:\s*["']tool_call["']/,
  several: true,
};

export const jsonActionReader = jsonReaderOf('json-action', blockFormat, actionEchoFormat);
