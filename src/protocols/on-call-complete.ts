/** `parse-mode="complete"`: the same parser, with calls held until the end of the reply. Text streams. */
import type { ProtocolReader, Segment } from './protocol.js';

type CreateParser = NonNullable<ProtocolReader['createParser']>;

/**
 * Wraps a parser so that a call shows nothing before the end, neither a card nor markup. At the end, calls and call errors are emitted in
 * order, each announced and complete at once. An aborted reply emits none; its calls remain in the source.
 */
export function onCallComplete(createParser: CreateParser): CreateParser {
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
