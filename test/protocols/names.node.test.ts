/** One rule about names in every protocol: blanks around them are trimmed, anything else makes another name. */
import { expect } from 'chai';
import { createNativeCalls } from '../../src/protocols/native.js';
import type { Segment } from '../../src/protocols/protocol.js';
import { cutEvery, parseChunks } from '../../src/testing/chunks.js';
import { all } from './reading.js';

const NAMES: [written: string, name: string][] = [
  ...(['go ', ' go', '\tgo\n'].map((written) => [written, 'go']) as [string, string][]),
  ...(['go\u00a0', '\u3000go', '\ufeffgo', 'g o'].map((name) => [name, name]) as [string, string][]),
];
const named = (segments: readonly Segment[]) => segments.flatMap((segment) => ('name' in segment ? [segment.name] : []));

describe('the name of a tool is what stands between blanks', () => {
  for (const { id, writeCall, createParser } of all)
    it(`in ${id}`, () => {
      for (const [written, name] of NAMES) {
        const spelt = id.includes('json') || id === 'tool-code' ? JSON.stringify(written).slice(1, -1) : written;
        const text = writeCall('NAME', {}).replace('NAME', () => spelt);
        for (const chunks of [[text], cutEvery(text, 1)])
          expect(named(parseChunks({ id, createParser }, chunks)), JSON.stringify(text)).to.deep.equal([name, name]);
      }
    });

  it('in native calls', () => {
    for (const [written, name] of NAMES) {
      const found: Segment[] = [];
      const calls = createNativeCalls((segment) => found.push(segment));
      calls.take({ index: 0, id: 'a', name: written });
      calls.take({ index: 0, name: written, arguments: '{}' });
      calls.end();
      expect(named(found), written).to.deep.equal([name, name]);
    }
  });
});
