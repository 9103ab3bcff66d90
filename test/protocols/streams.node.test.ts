/** Each protocol while its text comes: what is told after each piece, what is held back, and what the parser shows of its state. */
import { expect } from 'chai';
import { protocols } from '../../src/protocols/index.js';
import { inShort, start } from './reading.js';
import given from '../fixtures/protocols/streams.json' with { type: 'json' };

const START = '<<<[TOOL_REQUEST]>>>';
const requests = (id: string, text: string) => protocols[id]!.parseToolRequests(text);

type Step = [pushed: string, ...told: string[]];
const streams: [what: string, id: string, ...steps: Step[]][] = given as never;

describe('a reply as it streams (S0-28, S0-33, S0-42)', () => {
  for (const [what, id, ...steps] of streams)
    it(`${what}: ${id}`, () => {
      const { parser, segments } = start(protocols[id]!);
      for (const [pushed, ...told] of steps) {
        parser.push(pushed);
        expect(segments.splice(0).map(inShort), pushed).to.deep.equal(told);
      }
    });
});

describe('the state of a parser', () => {
  it('runs through the states of the seed, in pieces and character by character (S0-23)', () => {
    const parameter = (name: string) => [`\n<parameter name="${name}">`, 'some value', '</parameter>'];
    const pieces = [
      '<tool_use>',
      '\n<invoke name="create_task">',
      ...['title', 'date', 'area'].flatMap(parameter),
      '\n</invoke>',
      '\n</tool_use>',
    ];
    for (const chunks of [pieces, pieces.join('').split('')]) {
      const { parser } = start(protocols['xml-invoke']!);
      const states = [parser.inspect!().state];
      for (const chunk of chunks) {
        parser.push(chunk);
        const { state } = parser.inspect!();
        if (state !== states.at(-1)) states.push(state);
      }
      expect(states.join()).to.equal('0,1,2,3,4,5,3,4,5,3,4,5,6,0');
    }
  });

  it('shows its fields in the middle of a parameter (S0-25, S0-27)', () => {
    const { parser } = start(protocols['xml-invoke']!);
    parser.push('Hi <tool_use><invoke name="a"><parameter name="x">1</parameter><parameter name="y">2');
    expect(parser.inspect!()).to.deep.equal({
      state: 4,
      accumulator: '<invoke name="a"><parameter name="x">1</parameter><parameter name="y">2',
      currentToolUse: { type: 'tool_use', name: 'a', params: { x: '1', y: '2' }, partial: true },
      currentParamName: 'y',
      currentParamValueStartIndex: 70,
    });
    const vcp = start(protocols['vcp']!).parser;
    const accumulator = `${START}tool_name:「始」a「末」x:「始」1「末」y:「始」2`;
    vcp.push(accumulator);
    expect(vcp.inspect!()).to.deep.equal({ state: 'value', accumulator, currentParamName: 'y' });
  });
});

describe('requests for those who read at once', () => {
  it('are finished calls with their source and ids of their own, and no quoted ones (S2-26, S2-41, S3-08)', () => {
    const block = protocols['vcp']!.writeCall!('a', { x: '1' });
    expect(requests('vcp', `x ${block} y`)).to.deep.equal([{ requestId: 'call-1', toolName: 'a', rawBlock: block, args: { x: '1' } }]);
    const rawBlock = '<invoke name="a">\n<parameter name="x">1</parameter>\n</invoke>';
    expect(requests('xml-invoke', `x ${protocols['xml-invoke']!.writeCall!('a', { x: '1' })}`)).to.deep.equal([
      { requestId: 'call-1', toolName: 'a', rawBlock, args: { x: '1' } },
    ]);
    expect(
      requests('json-tool-calls', '{"tool_calls":[{"id":"x","name":"a"},{"id":"x","name":"a"}]}').map((one) => one.requestId),
    ).to.deep.equal([...['call-1', 'call-2']]);
    expect(requests('xml-invoke', '```\n<tool_use><invoke name="b"></invoke></tool_use>\n```')).to.deep.equal([]);
  });
});
