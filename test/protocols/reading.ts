/** What the tests of parsers share. */
import { protocols } from '../../src/protocols/index.js';
import type { ParserOptions, ProtocolReader, Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import type { ConformanceCheck } from '../../src/testing/protocol-conformance.js';

export const all = Object.values(protocols) as Required<ToolProtocol>[];
export const ids = Object.keys(protocols);

export function start(reader: ProtocolReader, options?: ParserOptions) {
  const segments: Segment[] = [];
  return { parser: reader.createParser!((segment) => segments.push(segment), options), segments };
}

/** A segment in short: `"text"`, `start name`, `key=growing`, `call name {arguments} flags`, or the code of an error with its name. */
export function inShort(segment: Segment): string {
  switch (segment.type) {
    case 'call-start':
      return `start ${segment.name}`;
    case 'arguments':
      return `${segment.key ?? ''}=${segment.text}`;
    case 'call':
      return ['call', segment.name, JSON.stringify(segment.arguments), ...(segment.flags ?? [])].join(' ');
    case 'call-error':
      return [segment.code, segment.name].filter(Boolean).join(' ');
    case 'was-reasoning':
      return 'was reasoning';
    default:
      return segment.type === 'text' ? `"${segment.text}"` : `thought "${segment.text}"`;
  }
}

export const outcomes = (segments: readonly Segment[]): string[] =>
  segments.filter(({ type }) => type === 'call' || type === 'call-error').map((segment) => inShort(segment).replace(/^call /, ''));

export function failing(checks: readonly ConformanceCheck[]): string[] {
  return checks.flatMap(({ title, run }) => {
    try {
      run();
      return [];
    } catch {
      return [title];
    }
  });
}
