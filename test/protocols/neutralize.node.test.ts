import { expect } from 'chai';
import fc from 'fast-check';
import { createAnyReader } from '../../src/protocols/index.js';
import { findNearMiss } from '../../src/protocols/near-miss.js';
import { escapeAttribute, neutralise, neutraliseDialects } from '../../src/protocols/neutralize.js';
import type { ProtocolReader } from '../../src/protocols/protocol.js';
import { readComplete } from '../../src/protocols/read-whole.js';
import { rounds } from '../helpers/effort.js';
import { all } from './reading.js';
import { withDialects } from '../../src/protocols/dialects.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import dialects from '../fixtures/protocols/dialects.json' with { type: 'json' };
import neutral from '../fixtures/protocols/neutral.json' with { type: 'json' };
import evil from '../fixtures/protocols/evil-shapes.json' with { type: 'json' };

const calls = all.map((protocol) => protocol.writeCall('evil', { path: '/a' }));
const space = `${'ant'}${'ml:'}`;
/** Calls as other models, and other shapes of our protocols, write them; `alone` are at most offered, as the whole of a message. */
const shapes = evil.shapes.map((text) => text.replaceAll('ant|ml:', space));
const { alone } = evil;

function found(text: string): string[] {
  const readers: ProtocolReader[] = [...all, createAnyReader('xml-invoke')];
  const parsed = readers.flatMap(({ id, createParser }) =>
    readComplete((emit) => createParser!(emit), text).flatMap((segment) => (segment.type === 'call' ? [`${id}: ${segment.raw}`] : [])),
  );
  const miss = findNearMiss(text, { active: '', isTool: () => true });
  return miss ? [...parsed, `near miss: ${miss.raw}`] : parsed;
}

describe('neutral text', () => {
  it('holds no call of any protocol, where there was one', () => {
    for (const text of [...calls, ...shapes]) {
      expect(found(text), text).not.to.deep.equal([]);
      expect(found(neutralise(text)), text).to.deep.equal([]);
    }
    for (const text of alone) expect(found(neutralise(text)), text).to.deep.equal([]);
  });

  it('holds no call in a dialect', () => {
    const read = (text: string) => {
      const found: string[] = [];
      const parser = withDialects(nativeReader.createParser, { isTool: (name) => name.startsWith('get_') })(({ type }) => found.push(type));
      parser.push(`Here:\n${text}`);
      parser.end('stop');
      return found.filter((type) => type.startsWith('call'));
    };
    const marked = Object.entries(dialects).filter(([, text]) => read(text).length > 0);
    expect(marked).to.have.length.above(20);
    for (const [name, text] of marked) {
      expect(read(neutralise(text)), name).to.deep.equal([]);
      expect(read(neutraliseDialects(text)), name).to.deep.equal([]);
      expect(neutralise(neutralise(text)), name).to.equal(neutralise(text));
    }
  });

  it('holds none whatever the marks were mixed with, and is the same when it is made neutral again', () => {
    const tags = '<tool_use> <invoke␣name="evil"> </invoke> </tool_use> <tool_code> </tool_code> <think> </think> < <<'.split(' ');
    const vcp = '<<<[TOOL_REQUEST]>>> <<<[END_TOOL_REQUEST]>>> tool_name:「始」evil「末」 「始ESCAPE」 「末ESCAPE」 「 始 末'.split(' ');
    const marks = [
      ...tags.map((tag) => tag.replace('␣', ' ')),
      ...vcp,
      ...['{', '}', '[', ']', '"', '"tool_calls"', ':', '{"name": "evil"}', '"action"', "'tool_call'", '"tool_call"', ',', '<<<[TOOL_'],
      ...['```', '```json\n', '~~~json\n', '`', '~', '\n', ' ', '> ', '- ', '&lt;', '_', 'text', '/', 'tool_use', 'invoke'],
    ];
    const piece = fc.oneof(
      fc.constantFrom(...calls, ...shapes, ...alone),
      fc.constantFrom(...marks),
      fc.string({ maxLength: 3, unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const neutral = neutralise(pieces.join(''));
        expect(found(neutral)).to.deep.equal([]);
        expect(neutral).not.to.match(/```|「[始末]|<\/?(tool_use|invoke)\b/);
        expect(neutralise(neutral)).to.equal(neutral);
      }),
      { numRuns: rounds(1000) },
    );
  });

  it('is the text itself where there are no marks', () => {
    for (const prose of [
      'a < b <b> <toolbox> </p> 「好」 `x` ``y`` ~~z~~ {"tool": 1}',
      '{"finish_reason": "tool_calls", "tool_call": 1}',
      'The action: tool_call; <parameters> and <invoker>, <<<[TOOLS]>>> 「终」',
      '{"a": {"b": [1, 2]}, "action": "tool_result"}',
    ])
      expect(neutralise(prose)).to.equal(prose);
    fc.assert(
      fc.property(fc.stringMatching(/^[ -;=?-_a-z{}]{0,60}$/), (text) => {
        fc.pre(!/tool/i.test(text));
        expect(neutralise(text)).to.equal(text);
      }),
    );
  });

  const changed: [text: string, neutral: string][] = neutral as never;
  it('stays what it was but for a few characters, so JSON stays JSON', () => {
    for (const [text, neutral] of changed) expect(neutralise(text)).to.equal(neutral);
    expect(escapeAttribute('a"b&<c>\n')).to.equal('a&quot;b&amp;&lt;c&gt; ');
  });
});
