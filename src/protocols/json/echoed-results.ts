/** Readers of the protocols in JSON, and the results in JSON that a model may repeat. */
import { readerOf, type BuiltInReader, type EchoFormat } from '../echoed-results.js';
import { NO_MATCH } from '../scan.js';
import { createJsonBlockParser, type JsonBlockFormat } from './block.js';
import { fenceEnd, JSON_WORDS, matchFenceLine, matchWords, type BlockEnd } from './block-ends.js';
import { repairTruncatedJson } from './repair-truncated-json.js';

/** Creates an echo for an object that begins with these words, with or without a fence, at the start of a line. */
const jsonEchoFormat = (...words: string[]): EchoFormat => ({
  openers: '`~{',
  open(text, at, place) {
    if (place !== 'line') return NO_MATCH;
    let start = at;
    let fence: BlockEnd | undefined;
    if (text[at] !== '{') {
      if (text[at] !== '`' && text[at] !== '~') return NO_MATCH;
      const line = matchFenceLine(text, at, JSON_WORDS);
      if (typeof line === 'number') return line;
      start = line.end;
      fence = fenceEnd(line.mark, line.length);
    }
    const head = matchWords(text, start, ['{', ...words]);
    return head > NO_MATCH ? { end: start, fence } : (head as typeof NO_MATCH);
  },
});

export const actionEchoFormat = jsonEchoFormat('"action"', ':', '"tool_result"');
export const toolCallEchoFormat = jsonEchoFormat('"tool_call_result"', ':');

export function jsonReaderOf(id: string, format: JsonBlockFormat, echo: EchoFormat): BuiltInReader {
  const reader = readerOf(id, (host) => createJsonBlockParser(format, host), echo);
  return { ...reader, createParser: repairTruncatedJson(reader.createParser) };
}
