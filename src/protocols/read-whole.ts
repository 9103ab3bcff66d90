/** Reads a complete text with a streaming parser. */
import type { EndReason, ProtocolParser, Segment } from './protocol.js';

/** Returns the segments that streaming the text would give. Text and calls that turned out to be reasoning are joined into one segment. */
export function readComplete(
  createParser: (emit: (segment: Segment) => void) => ProtocolParser,
  source: string,
  reason: EndReason = 'stop',
): Segment[] {
  let segments: Segment[] = [];
  const parser = createParser((segment) => {
    if (segment.type === 'was-reasoning') segments = asReasoning(segments);
    else segments.push(segment);
  });
  parser.push(source);
  parser.end(reason);
  return segments;
}

/** Joins all segments into one reasoning segment, using the source of calls. */
function asReasoning(segments: readonly Segment[]): Segment[] {
  let raw = '';
  const text = segments.map((segment) => {
    if (segment.type === 'text' || segment.type === 'reasoning') return segment.text;
    if (segment.type !== 'call' && segment.type !== 'call-error') return '';
    // Several calls of one block may each carry its complete source.
    const isSame = segment.raw === raw;
    raw = segment.raw;
    return isSame ? '' : raw;
  });
  return [{ type: 'reasoning', text: text.join('') }];
}
