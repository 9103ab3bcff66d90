import { expect } from 'chai';
import type { ProtocolParser, Segment } from '../../src/protocols/protocol.js';
import { toolCode } from '../../src/protocols/tool-code.js';
import { protocolChecks } from '../../src/testing/protocol-conformance.js';
import { conformsToOwn } from './conformance.js';
import { fragments, markup, samples } from '../fixtures/protocols/tool-code.js';

conformsToOwn(toolCode, samples, { write: toolCode.writeCall!, markup, fragments });

function start(): { parser: ProtocolParser; segments: Segment[] } {
  const segments: Segment[] = [];
  return { parser: toolCode.createParser!((segment) => segments.push(segment)), segments };
}

const visible = (segments: readonly Segment[]) => segments.map((segment) => (segment.type === 'text' ? segment.text : '')).join('');

describe('tool-code by the rows of its seed', () => {
  it('runs the example, with no markup on screen (S3-09)', () => {
    const { parser, segments } = start();
    parser.push('Wait. <tool_code> { "name": "read_file", "arguments": {"path": "/a"} } </tool_code> Done.');
    parser.end();
    expect(segments.map(({ type }) => type)).to.deep.equal(['text', 'call-start', 'arguments', 'call', 'text']);
    expect(visible(segments)).to.equal('Wait.  Done.');
  });

  it('never scans thinking for calls, and runs the one after it (S3-10)', () => {
    const found = toolCode.parseToolRequests(
      '<think>As in <tool_code>{"name":"a"}</tool_code></think>\n<tool_code>{"name":"b"}</tool_code>',
    );
    expect(found.map(({ toolName }) => toolName)).to.deep.equal(['b']);
  });

  it('carries code that would break tags, byte by byte (S3-11)', () => {
    const content = '</parameter></tool_code>\n```\n"quotes" \\ back\\\\slashes\r\n\ttabs <tool_code>{"name":"evil"}</tool_code>';
    const text = `<tool_code>${JSON.stringify({ name: 'write_file', arguments: { content } })}</tool_code>`;
    expect(toolCode.parseToolRequests(text).map(({ toolName, args }) => [toolName, args['content']])).to.deep.equal([
      ['write_file', content],
    ]);
  });

  it('reads every prefix without a throw, and no call before its JSON is complete (S3-25)', () => {
    const text = 'Hi <tool_code>{"name":"a","arguments":{"x":"</tool_code>"}}</tool_code>';
    const complete = text.indexOf('}}') + 2;
    for (let length = 0; length <= text.length; length += 1)
      expect(toolCode.parseToolRequests(text.slice(0, length)), `${length}`).to.have.length(length < complete ? 0 : 1);
  });

  it('offers a call in a fence and does not run it', () => {
    const { parser, segments } = start();
    parser.push('```\n<tool_code>{"name":"a"}</tool_code>\n```');
    parser.end();
    expect(segments.at(-1)).to.deep.include({ type: 'call', name: 'a', flags: ['quoted'] });
  });
});

describe('tool-code while it streams', () => {
  it('announces a call at its name and emits it at the end tag', () => {
    const { parser, segments } = start();
    parser.push('<tool_code>{"name":"a"');
    expect(segments).to.deep.equal([{ type: 'call-start', id: 'call-1', name: 'a' }]);
    parser.push(',"arguments":{"x":"1 <');
    expect(segments.at(-1)).to.deep.include({ type: 'arguments', key: 'x' });
    parser.push('/tool_code> 2"}}</tool_code');
    expect(segments.at(-1)).to.deep.include({ type: 'arguments' });
    parser.push('>');
    expect(segments.at(-1)).to.deep.include({ type: 'call', id: 'call-1' });
    expect(segments.flatMap((segment) => (segment.type === 'arguments' ? [segment.text] : [])).join('')).to.equal('1 </tool_code> 2');
  });

  it('reads a call of 1 KB in at most a millisecond', () => {
    const text = toolCode.writeCall!('a', { x: 'line "one"\n'.repeat(90) });
    let least = Infinity;
    for (let round = 0; round < 200 && least > 0.2; round += 1) {
      const begin = performance.now();
      const { parser, segments } = start();
      for (let at = 0; at < text.length; at += 4) parser.push(text.slice(at, at + 4));
      parser.end();
      least = Math.min(least, performance.now() - begin);
      expect(segments.at(-1)!.type).to.equal('call');
    }
    expect(least).to.be.at.most(1);
  });
});

describe('the samples of tool-code', () => {
  it('fail a parser that ends a call at the first end tag', () => {
    const cutting = {
      ...toolCode,
      createParser(emit: (segment: Segment) => void) {
        let parser = toolCode.createParser!(emit);
        let text = '';
        return {
          push: (chunk: string) => void (text += chunk),
          end(reason?: 'stop' | 'length' | 'abort') {
            for (const part of text.split('</tool_code>')) {
              parser.push(part);
              parser.end(reason);
              parser = toolCode.createParser!(emit);
            }
          },
        };
      },
    };
    const failed = protocolChecks(cutting, samples, { seed: 1 }).filter((check) => {
      if (!check.title.startsWith('reads')) return false;
      try {
        check.run();
        return false;
      } catch {
        return true;
      }
    });
    expect(failed.map(({ title }) => title)).to.include('reads a call over the limit with an end tag in its string');
  });
});
