/** `parseToolRequests` for every protocol with a parser: reads a complete text with the streaming parser. */
import type { ParsedToolRequest, ProtocolParser, ProtocolReader, Segment, ToolProtocol } from './protocol.js';
import { readComplete } from './read-whole.js';

/** Returns the complete calls in the order of the text. A quoted call is an example, not a request. */
export function requestsOf(createParser: (emit: (segment: Segment) => void) => ProtocolParser, finalText: string): ParsedToolRequest[] {
  return readComplete(createParser, finalText).flatMap((segment) => {
    if (segment.type !== 'call' || segment.flags?.includes('quoted')) return [];
    return [{ requestId: segment.id, toolName: segment.name, rawBlock: segment.raw, args: segment.arguments }];
  });
}

/** The prompt of a built-in protocol: how it teaches tools, and how it writes calls and results. */
type PromptOf = Omit<ToolProtocol, 'id' | 'createParser' | 'parseToolRequests'>;

/** Returns the public object of a built-in protocol. */
export const protocolOf = ({ id, createParser }: Required<ProtocolReader>, prompt: PromptOf): ToolProtocol => ({
  ...prompt,
  ...{ id, createParser, parseToolRequests: (finalText: string) => requestsOf(createParser, finalText) },
});
