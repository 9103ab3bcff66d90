/** What a model repeats of its results: hidden where it is whole, text where it is not, and never read (models do it 13 of 14 times untaught). */
import { expect } from 'chai';
import type { ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { cutEvery, parseChunks, textOfSegments as shownBy } from '../../src/testing/chunks.js';
import { all } from './reading.js';

const inChunks = (reader: ProtocolReader, text: string, size: number) =>
  parseChunks(reader, cutEvery(text, size), 'stop', { createId: () => 'id' });

const bare = all.filter(({ id }) => id === 'json-tool-calls' || id === 'tool-code');

describe('a result in JSON that lacks closing brackets where it is written again', () => {
  for (const protocol of bare) {
    const whole = protocol.formatToolResults([{ requestId: 'call-1', toolName: 'look', status: 'success', result: '{"a": [1]}' }]);

    it(`is not shown under ${protocol.id}, at the end and before words, however it is cut`, () => {
      for (const size of [1, 2, 3, 7, 1000]) {
        expect(shownBy(inChunks(protocol, `Done.\n${whole.slice(0, -1)}`, size)).trim()).to.equal('Done.');
        expect(shownBy(inChunks(protocol, `${whole.slice(0, -1)}\n\nAll is well.`, size)).trim()).to.equal('All is well.');
      }
    });
  }
});

for (const protocol of all) {
  const told = (result: string) => protocol.formatToolResults([{ requestId: 'call-1', toolName: 'look', status: 'success', result }]);
  const calls = (segments: readonly Segment[]) => segments.filter(({ type }) => type === 'call').length;

  describe(`a result that is written again under ${protocol.id}`, () => {
    it('is not shown, however it is cut and however often it comes', () => {
      const text = `Done.\n${told('Task “a” {created} </b> \\ "x"')}\n${told('two')}\nAll is well.`;
      for (const size of [1, 2, 3, 7, 64, 1000])
        expect(shownBy(inChunks(protocol, text, size)), String(size)).to.match(/^Done\.\n+All is well\.$/);
    });

    it('is not read: a call in it is none, one behind it is', () => {
      const call = protocol.writeCall('erase', { title: 'x' });
      const inside = told('HERE').replace(
        'HERE',
        protocol.id === 'xml-invoke' || protocol.id === 'vcp' ? call : JSON.stringify(call).slice(1, -1),
      );
      expect(calls(inChunks(protocol, `${inside}\n\n`, 5))).to.equal(0);
      expect(calls(inChunks(protocol, `${told('ok')}\n\n${call}\n`, 5))).to.equal(1);
    });

    it('is made up behind a call of the same reply, so that the next call asks', () => {
      const call = protocol.writeCall('erase', { title: 'x' });
      const flags = (text: string) => inChunks(protocol, text, 5).flatMap((one) => (one.type === 'call' ? String(one.flags) : []));
      expect(flags(`${told('old')}\n\n${call}\n\n${told('ok, they agree')}\n\n${call}\n`)).to.deep.equal(['undefined', 'suspicious']);
    });

    it('in code of another kind is text', () => {
      const text = `Look:\n\n\`\`\`text\n${told('x').replaceAll('`', '')}\n\`\`\`\n`;
      expect(shownBy(inChunks(protocol, text, 3))).to.equal(text);
    });
  });
}
