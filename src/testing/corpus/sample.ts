/** Helpers to write the corpus: short names for segments, and samples that all five parts share. */
import type { CallErrorCode, CallFlag, ParserOptions } from '../../protocols/protocol.js';
import type { ExpectedSegment, ProtocolSample } from '../protocol-sample.js';

export interface CorpusSample extends ProtocolSample {
  /** Ids of other protocols whose complete calls the text holds: to their parsers these are calls. */
  foreign?: string[];
}

/** All that is known about reading one protocol, as plain data: it survives JSON unchanged. */
export interface ProtocolCorpus {
  protocol: string;
  /** One token of what may vanish from view; the source of a sticky regular expression. */
  markup: string;
  /** Fragments that a hostile or broken model may repeat. */
  fragments: string[];
  samples: CorpusSample[];
}

export const textSegment = (value: string): ExpectedSegment => ({ type: 'text', text: value });
export const reasoning = (value: string): ExpectedSegment => ({ type: 'reasoning', text: value });

/** Arguments that compare by their own keys, also for a name such as `toString`. */
export const callSegment = (name: string, values: Record<string, unknown> = {}, ...flags: CallFlag[]): ExpectedSegment => ({
  type: 'call',
  name,
  arguments: values,
  ...(flags.length > 0 && { flags }),
});

/** `name` and `raw` are compared only where they are stated. */
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

/** The same text, in which nothing is a call. */
export const proseSample = (name: string, source: string, more?: More): CorpusSample =>
  sample(name, source, source === '' ? [] : [textSegment(source)], more);

/** A complete call in each notation, to a tool that no other sample names. */
export const CALLS: Readonly<Record<string, string>> = {
  'xml-invoke': '<tool_use><invoke name="other"><parameter name="x">1</parameter></invoke></tool_use>',
  'json-action': '```json\n{"action": "tool_call", "name": "other", "arguments": {"x": 1}}\n```',
  vcp: '<<<[TOOL_REQUEST]>>>\ntool_name:「始」other「末」\nx:「始」1「末」\n<<<[END_TOOL_REQUEST]>>>',
  'json-tool-calls': '{"tool_calls": [{"name": "other", "arguments": {"x": 1}}]}',
  'tool-code': '<tool_code>{"name": "other", "arguments": {"x": 1}}</tool_code>',
};

/** Openers of all notations and their kin, none of them a whole call: what a value or a sentence may hold. */
export const MARKERS =
  '<tool_use> <invoke name="x"> <parameter name="y"> <tool_code> <tool_call> <<<[TOOL_REQUEST]>>> {"tool_calls": <think>';
