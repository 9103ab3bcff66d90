import { expect } from 'chai';
import { createTextMode, type CreateNotation } from '../../src/protocols/text-mode.js';
import type { Segment, ToolProtocol } from '../../src/protocols/protocol.js';
import { HOLD_LIMIT, matchWord, MORE, NO } from '../../src/protocols/scan.js';
import { checkText } from '../../src/testing/protocol-conformance.js';

/**
 * A notation as unlike `xml-invoke` as can be: the call is a fence. It opens with the fence line, is given back when its
 * first character shows that it is ordinary code, and is complete at the first `}` at the beginning of a line.
 */
const createFenceNotation: CreateNotation = (host) => {
  const OPENER = '```call\n';
  let inside = false;
  let source = '';

  return {
    openers: '`',
    open(text, at, place) {
      const end = place === 'text' ? NO : matchWord(text, at, OPENER);
      if (end > NO) {
        inside = true;
        source = '';
      }
      return end;
    },
    get inside() {
      return inside;
    },
    read(text, at, ending) {
      if (source === '' && at < text.length && text[at] !== '{') {
        inside = false;
        host.reject(OPENER);
        return at;
      }
      const end = `${source}${text.slice(at)}`.indexOf('\n}\n```\n');
      if (end === -1) {
        const keep = ending ? text.length : Math.max(at, text.length - 6);
        source += text.slice(at, keep);
        if (ending) {
          inside = false;
          host.emit({ type: 'call-error', code: 'unclosed', raw: source });
        }
        return keep;
      }
      const stop = at + end + 7 - source.length;
      const raw = source + text.slice(at, stop);
      const id = host.createId();
      host.emit({ type: 'call-start', id, name: 'fence' });
      host.emit({ type: 'call', id, name: 'fence', arguments: {}, raw });
      inside = false;
      return stop;
    },
    inspect: (held) => ({ state: inside ? 'inside' : 'text', held }),
  };
};

const fenceProtocol: ToolProtocol = {
  id: 'fence',
  generateToolDefinitions: () => '',
  parseToolRequests: () => [],
  formatToolResults: () => '',
  createParser: (emit, options) => createTextMode(createFenceNotation, emit, options),
};

function read(text: string): string[] {
  const told: Segment[] = checkText(fenceProtocol, text);
  return told
    .filter((segment) => segment.type !== 'call-start')
    .map((segment) => ('text' in segment ? segment.text : 'raw' in segment ? `[${segment.raw}]` : ''));
}

describe('text mode with a notation whose calls are fences', () => {
  it('hides the fence line of a call', () => {
    expect(read('a\n```call\n{\n}\n```\nb')).to.deep.equal(['a\n', '[{\n}\n```\n]', 'b']);
  });

  it('reads a rejected block again as a fence, with nothing in it recognised', () => {
    expect(read('```call\nx\n<think>\n').join('')).to.equal('```call\nx\n<think>\n');
    expect(read('```call\nx\n```call\n{\n}\n```\n').join('')).to.equal('```call\nx\n```call\n{\n}\n```\n');
  });

  it('reads a block behind a rejected one', () => {
    expect(read('```call\nx\n```\n```call\n{\n}\n```\n')).to.deep.equal(['```call\n', 'x\n```\n', '[{\n}\n```\n]']);
  });

  it('reads a fence of another kind as code', () => {
    expect(read('```js\n{\n}\n```\n').join('')).to.equal('```js\n{\n}\n```\n');
    expect(read('a ```call\n{\n}\n```\n').join('')).to.equal('a ```call\n{\n}\n```\n');
  });

  it('settles an open block at the end', () => {
    expect(read('```call\n{ "a"')).to.deep.equal(['[{ "a"]']);
    expect(read('```call')).to.deep.equal(['```call']);
  });

  it('still knows reasoning', () => {
    expect(read('<think>a</think>```call\n{\n}\n```\n')).to.deep.equal(['a', '[{\n}\n```\n]']);
  });
});

describe('matching', () => {
  it('tells a word from a beginning of it and from anything else', () => {
    expect(matchWord('a<tool', 1, '<tool')).to.equal(6);
    expect(matchWord('a<to', 1, '<tool')).to.equal(MORE);
    expect(matchWord('a', 1, '<tool')).to.equal(MORE);
    expect(matchWord('a<tx', 1, '<tool')).to.equal(NO);
  });

  it('holds back less than the limit, whatever comes', () => {
    const segments: Segment[] = [];
    const parser = fenceProtocol.createParser!((segment) => segments.push(segment));
    for (let round = 0; round < 2000; round += 1) parser.push('<'.repeat(3));
    const shown = segments.reduce((sum, segment) => sum + (segment.type === 'text' ? segment.text.length : 0), 0);
    expect(6000 - shown).to.be.below(HOLD_LIMIT);
  });
});
