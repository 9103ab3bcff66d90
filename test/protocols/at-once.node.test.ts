/** What is read again when a text is over is bounded, for it happens at once. */
import { expect } from 'chai';
import { createAnyReader, protocols } from '../../src/protocols/index.js';
import type { Segment } from '../../src/protocols/protocol.js';

function read(id: string, text: string): Segment[] {
  const reader = id === 'any' ? createAnyReader('xml-invoke') : protocols[id]!;
  const segments: Segment[] = [];
  const parser = reader.createParser!((segment) => segments.push(segment), { mayMend: () => true });
  for (let at = 0; at < text.length; at += 5000) parser.push(text.slice(at, at + 5000));
  parser.end('stop');
  return segments;
}

const kinds = (segments: Segment[]) => [...new Set(segments.map(({ type }) => type))];
const shown = (segments: Segment[]) => segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');
const call = (length: number, end = '"}}') => `<tool_code>{"name":"look","arguments":{"a":"${'x'.repeat(length)}${end}</tool_code>`;

describe('what is read again at the end', () => {
  it('is a call of up to 64 KB that lacks a bracket; a longer one is broken', () => {
    expect(kinds(read('tool-code', call(60_000, '"}')))).to.include('call');
    const long = read('tool-code', call(70_000, '"}'));
    expect(kinds(long)).to.include('call-error').and.not.to.include('call');
  });

  it('is a call of up to 256 KB that is only shown; a longer one is code', () => {
    expect(kinds(read('tool-code', `\`\`\`\n${call(200_000)}\n\`\`\``))).to.include('call');
    const long = `\`\`\`\n${call(270_000)}\n\`\`\``;
    const segments = read('tool-code', long);
    expect(kinds(segments)).to.deep.equal(['text']);
    expect(shown(segments)).to.equal(long);
  });

  it('is an object that does not say in 64 KB whether it is a call: it is code, all of it, and what comes behind it is read', () => {
    const doubtful = (length: number) =>
      `\`\`\`json\n{"arguments":{"a":"${'x'.repeat(length)}"},"name":"look","action":"tool_call"}\n\`\`\`\n`;
    expect(kinds(read('json-action', doubtful(60_000)))).to.include('call');
    const segments = read('json-action', doubtful(70_000));
    expect(kinds(segments)).to.deep.equal(['text']);
    expect(shown(segments)).to.equal(doubtful(70_000));
  });

  it('is what stands behind a mark of the end in a string that does not close in 256 KB', () => {
    const inside = (length: number) => call(0, `</tool_code>${'x'.repeat(length)}"}}`);
    expect(kinds(read('tool-code', inside(250_000)))).to.include('call');
    expect(kinds(read('tool-code', inside(270_000))))
      .to.include('call-error')
      .and.not.to.include('call');
  });

  it('is no list of more than 1,000 calls: that is one error, and the rest of the message is read', () => {
    const list = (length: number) =>
      `<tool_code>[${Array.from({ length }, () => '{"name":"look","arguments":{}}').join()}]</tool_code>\nEnd`;
    expect(read('tool-code', list(1000)).filter(({ type }) => type === 'call')).to.have.length(1000);
    const segments = read('tool-code', list(50_000)).filter(({ type }) => type !== 'call-start');
    expect(segments.map((segment) => (segment.type === 'call-error' ? segment.code : segment.type))).to.deep.equal(['too_large', 'text']);
    expect(shown(segments)).to.equal('\nEnd');
  });
});
