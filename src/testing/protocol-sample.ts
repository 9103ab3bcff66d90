/** The input of the conformance suite: samples of a protocol, and options. */
import type { CallErrorCode, CallFlag, ParserOptions } from '../protocols/protocol.js';

/**
 * A segment as a sample states it: without ids, neighbouring texts joined; the `name` of an error, any `raw` and the model's own id only
 * where they matter. Objects may be in any key order.
 */
export type ExpectedSegment =
  | { type: 'text' | 'reasoning'; text: string }
  | { type: 'was-reasoning' }
  | { type: 'call'; name: string; arguments: Record<string, unknown>; flags?: CallFlag[]; raw?: string; providerId?: string }
  | { type: 'call-error'; code: CallErrorCode; name?: string; raw?: string };

export interface ProtocolSample {
  /** A phrase for the sample's content, used in test titles such as "reads …". */
  name: string;
  text: string;
  segments: ExpectedSegment[];
  /** The end reason of the stream. Default `stop`. */
  end?: 'stop' | 'length' | 'abort';
  options?: ParserOptions;
}

export interface ConformanceOptions {
  /** Writes a call in the protocol; needed for the checks of memory and prototypes. */
  write?: (name: string, values: Record<string, unknown>) => string;
  /**
   * A token of markup that may be removed from the visible text (sticky, `y`). With it, conservation is checked exactly. Without it, up to
   * 512 characters may be missing next to a call, an error or reasoning, and none between two texts.
   */
  markup?: RegExp;
  /** Fragments that a hostile or broken model may repeat. They are timed, and mixed at random. */
  fragments?: readonly string[];
  /** The seed of the random parts. Default: from the clock. It is printed in either case. */
  seed?: number;
  /** Functions of the test runner, if they are not global: `import { describe, it } from 'vitest'`. */
  describe?: (title: string, define: () => void) => unknown;
  it?: (title: string, run: () => void, timeout?: number) => unknown;
}
