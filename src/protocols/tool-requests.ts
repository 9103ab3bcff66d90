/** `parseToolRequests` for every protocol with a parser: reads a complete text with the streaming parser. */
import type { ParsedToolRequest, ProtocolParser, Segment } from './protocol.js';
import { readComplete } from './read-whole.js';

/** Returns the complete calls in the order of the text. A quoted call is an example, not a request. */
export function requestsOf(createParser: (emit: (segment: Segment) => void) => ProtocolParser, finalText: string): ParsedToolRequest[] {
  return readComplete(createParser, finalText).flatMap((segment) => {
    if (segment.type !== 'call' || segment.flags?.includes('quoted')) return [];
    return [{ requestId: segment.id, toolName: segment.name, rawBlock: segment.raw, args: segment.arguments }];
  });
}
