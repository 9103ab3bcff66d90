/** Helpers to write the corpus: short names for segments, and samples that all five parts share. */
import type { CallErrorCode, CallFlag, ParserOptions } from '../../protocols/protocol.js';
import type { ExpectedSegment, ProtocolSample } from '../protocol-sample.js';

export interface CorpusSample extends ProtocolSample {
  /** Ids of other protocols whose complete calls the text contains: for their parsers these are calls. */
  foreign?: string[];
}

/** The corpus of one protocol as plain data, unchanged by a round trip through JSON. */
export interface ProtocolCorpus {
  protocol: string;
  /** The source of a sticky regular expression for one token that may be hidden from the user. */
  markup: string;
  /** Fragments that a hostile or broken model may repeat. */
  fragments: string[];
  samples: CorpusSample[];
}

export const textSegment = (value: string): ExpectedSegment => ({ type: 'text', text: value });
export const reasoning = (value: string): ExpectedSegment => ({ type: 'reasoning', text: value });

/** Returns a call segment. Its arguments are compared by their own keys, also for a name such as `toString`. */
export const callSegment = (name: string, values: Record<string, unknown> = {}, ...flags: CallFlag[]): ExpectedSegment => ({
  type: 'call',
  name,
  arguments: values,
  ...(flags.length > 0 && { flags }),
});

/** Returns a segment for an unreadable call. `name` and `raw` are compared only if they are given. */
export const broken = (code: CallErrorCode, name?: string, raw?: string): ExpectedSegment => ({
  type: 'call-error',
  code,
  ...(name !== undefined && { name }),
  ...(raw !== undefined && { raw }),
});

interface More {
  end?: 'stop' | 'length' | 'abort';
  options?: ParserOptions;
  foreign?: string[];
}

export const sample = (name: string, source: string, segments: ExpectedSegment[], more: More = {}): CorpusSample => ({
  name,
  text: source,
  segments,
  ...more,
});

/** Returns a sample whose text contains no call. */
export const proseSample = (name: string, source: string, more?: More): CorpusSample =>
  sample(name, source, source === '' ? [] : [textSegment(source)], more);

/** A complete call in each protocol, to a tool that no other sample names. */
export const CALLS: Readonly<Record<string, string>> = {
  'xml-invoke': '<tool_use><invoke name="other"><parameter name="x">1</parameter></invoke></tool_use>',
  'json-action': '```json\n{"action": "tool_call", "name": "other", "arguments": {"x": 1}}\n```',
  vcp: '<<<[TOOL_REQUEST]>>>\ntool_name:「始」other「末」\nx:「始」1「末」\n<<<[END_TOOL_REQUEST]>>>',
  'json-tool-calls': '{"tool_calls": [{"name": "other", "arguments": {"x": 1}}]}',
  'tool-code': '<tool_code>{"name": "other", "arguments": {"x": 1}}</tool_code>',
};

/** Openers of all protocols and similar texts. None is a complete call, so values and sentences may contain them. */
export const MARKERS =
  '<tool_use> <invoke name="x"> <parameter name="y"> <tool_code> <tool_call> <<<[TOOL_REQUEST]>>> {"tool_calls": <think>';
