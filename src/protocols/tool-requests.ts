/** `parseToolRequests` for every protocol that has a parser: what streaming would have found, in a finished text. */
import type { ParsedToolRequest, ProtocolParser, Segment } from './protocol.js';
import { readWhole } from './read-whole.js';

/** Complete calls in the order of the text; a quoted one is an example, not a request. */
export function requestsOf(createParser: (emit: (segment: Segment) => void) => ProtocolParser, finalText: string): ParsedToolRequest[] {
  return readWhole(createParser, finalText).flatMap((segment) => {
    if (segment.type !== 'call' || segment.flags?.includes('quoted')) return [];
    return [{ requestId: segment.id, toolName: segment.name, rawBlock: segment.raw, args: segment.arguments }];
  });
}
