/** One rule about names in every notation: blanks around them are trimmed, anything else makes another name. */
import { expect } from 'chai';
import { protocols } from '../../src/protocols/index.js';
import { createNativeCalls } from '../../src/protocols/native.js';
import type { Segment } from '../../src/protocols/protocol.js';
import { cutEvery, joinTexts, parseChunks } from '../../src/testing/chunks.js';

const NAMES: [written: string, name: string][] = [
  ['go ', 'go'],
  [' go', 'go'],
  ['\tgo\n', 'go'],
  ['go\u00a0', 'go\u00a0'],
  ['\u3000go', '\u3000go'],
  ['\ufeffgo', '\ufeffgo'],
  ['g o', 'g o'],
];

describe('the name of a tool', () => {
  for (const [id, protocol] of Object.entries(protocols))
    it(`is what stands between blanks in ${id}`, () => {
      for (const [written, name] of NAMES) {
        const inJson = id.includes('json') || id === 'tool-code';
        const spelt = inJson ? JSON.stringify(written).slice(1, -1) : written;
        const text = protocol.writeCall!('NAME', {}).replace('NAME', () => spelt);
        for (const chunks of [[text], cutEvery(text, 1)]) {
          const segments = parseChunks(protocol, chunks);
          const calls = joinTexts(segments).filter((segment) => segment.type !== 'text');
          expect(
            calls.map((call) => ('name' in call ? call.name : call.type)),
            JSON.stringify(text),
          ).to.deep.equal([name]);
          const started = segments.flatMap((segment) => (segment.type === 'call-start' ? [segment.name] : []));
          expect(started, JSON.stringify(text)).to.deep.equal([name]);
        }
      }
    });

  it('is what stands between blanks in native calls', () => {
    for (const [written, name] of NAMES) {
      const found: Segment[] = [];
      const calls = createNativeCalls((segment) => found.push(segment));
      calls.take({ index: 0, id: 'a', name: written });
      calls.take({ index: 0, name: written, arguments: '{}' });
      calls.end();
      expect(found.map((segment) => ('name' in segment ? segment.name : '')).filter(Boolean), written).to.deep.equal([name, name]);
    }
  });
});
