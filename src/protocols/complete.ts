/** `parse-mode="complete"`: the same engine behind a gate. Text flows, calls wait for the end of the reply. */
import type { ProtocolReader, Segment } from './protocol.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

/**
 * Before the end nothing tells of a call: neither a card nor its markup. At the end the calls and the broken ones come in their order,
 * each announced and complete at once. An aborted reply ends without any: its calls stay in its source.
 */
export function whenComplete(createParser: CreateParser): CreateParser {
  return (emit, options) => {
    let waiting: Segment[] = [];
    const parser = createParser((segment) => {
      if (segment.type === 'was-reasoning') waiting = [];
      if (segment.type === 'text' || segment.type === 'reasoning' || segment.type === 'was-reasoning') emit(segment);
      else if (segment.type === 'call' || segment.type === 'call-error') waiting.push(segment);
    }, options);

    return {
      push(chunk) {
        parser.push(chunk);
      },
      end(reason) {
        parser.end(reason);
        const found = reason === 'abort' ? [] : waiting;
        waiting = [];
        for (const segment of found) {
          if (segment.type === 'call') emit({ type: 'call-start', id: segment.id, name: segment.name });
          emit(segment);
        }
      },
      ...(parser.inspect && { inspect: () => parser.inspect!() }),
    };
  };
}
