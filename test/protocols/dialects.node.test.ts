/** Calls as models' own chat templates write them, read beside the chosen protocol. */
import { expect } from 'chai';
import { withDialects } from '../../src/protocols/dialects.js';
import { protocols } from '../../src/protocols/index.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import { cutEvery, joinTexts } from '../../src/testing/chunks.js';
import type { Segment } from '../../src/protocols/protocol.js';
import { dialectSamples } from '../fixtures/protocols/dialects.js';

const names = ['get_weather', 'get_time', 'search', 'write_file', 'create_task'];

function read(chunks: readonly string[], id = 'native') {
  const found: Segment[] = [];
  const { createParser } = id === 'native' ? nativeReader : protocols[id]!;
  const options = { isTool: (name: string) => names.includes(name), active: id, mayMend: () => true };
  const parser = withDialects(createParser!, options)((segment) => found.push(segment));
  for (const chunk of chunks) parser.push(chunk);
  parser.end('stop');
  return joinTexts(found);
}
const textOf = (segments: readonly Segment[]) => segments.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
const callsOf = (segments: readonly Segment[]) => segments.flatMap((one) => (one.type === 'call' ? [one] : []));
const call = (name: string, args: object) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
/** They are calls only where they are the whole reply. */
const bare = /^(?:python|jsonBare|llamaBare|functools|gemmaBare|functionaryBare)/;

describe('a call in a native dialect', () => {
  for (const [name, sample] of Object.entries(dialectSamples))
    it(`is read, wherever the stream is cut: ${name}`, () => {
      for (const before of bare.test(name) ? [''] : ['', 'Let me look.\n\n']) {
        const text = before + sample;
        const whole = read([text]);
        const calls = callsOf(whole);
        expect(calls.map((one) => [one.name, { ...one.arguments }, one.flags?.[0]])).to.deep.equal([
          name === 'glmNone' ? ['get_time', {}, 'foreign'] : ['get_weather', { city: 'Paris' }, 'foreign'],
        ]);
        expect(textOf(whole).trim()).to.equal(before.trim());
        for (let at = 1; at < text.length; at += 1)
          expect(read([text.slice(0, at), text.slice(at)]), text.slice(0, at)).to.deep.equal(whole);
        expect(read(cutEvery(text, 1))).to.deep.equal(whole);
      }
    });

  it('is one of several, in their order', () => {
    for (const text of [
      `${call('get_weather', { city: 'Rome' })}\n${call('create_task', { title: 'a' })}`,
      '<tool_call><function=get_weather><parameter=city>Rome</parameter></function><function=create_task><parameter=title>a</parameter></function></tool_call>',
      '{"name":"get_weather","arguments":{"city":"Rome"}}\n{"name":"create_task","arguments":{"title":"a"}}',
    ])
      expect(callsOf(read([text])).map(({ name, arguments: args }) => [name, { ...args }])).to.deep.equal([
        ['get_weather', { city: 'Rome' }],
        ['create_task', { title: 'a' }],
      ]);
  });

  it('is hidden and told where it cannot be read, and nothing behind it is lost', () => {
    const broken: [text: string, code: string, rest: string][] = [
      ['<tool_call>{"name":"get_weather","arguments":{"city": Paris}}</tool_call> and more', 'bad_json', ' and more'],
      ['<tool_call>{"name":"get_weather","arguments":{"city":"Pa', 'unclosed', ''],
      ['<tool_call>{"name":"get_weather","arguments":{"city":"Paris}}</tool_call>\nDone "now".', 'bad_json', '\nDone "now".'],
      ['<invoke name="get_weather">\n<parameter name="city">Pa', 'unclosed', ''],
      ['<invoke name="write_file"><parameter name="path">a</parameter>x</invoke> rest', 'malformed', ' rest'],
      ['<invoke name="write_file"><parameter name="__proto__">a</parameter></invoke>', 'bad_shape', ''],
    ];
    for (const [text, code, rest] of broken)
      for (const size of [1, 7, text.length]) {
        const found = read(cutEvery(text, size));
        expect(found.flatMap((one) => (one.type === 'call-error' ? [one.code] : one.type === 'call' ? ['call'] : []))).to.deep.equal([
          code,
        ]);
        expect(textOf(found)).to.equal(rest);
      }
  });

  it('gives the ends of a reply that servers leave, and no tag of HTML, to nobody', () => {
    for (const end of ['<|im_end|>', '<|eom_id|>', '</s>', '<｜end▁of▁sentence｜>', '<end_of_turn>\n'])
      for (const size of [1, 50]) expect(textOf(read(cutEvery(`Hello.${end}`, size)))).to.equal('Hello.');
    for (const text of ['was <s>old</s>', 'Hello </s> there', '`</s>`']) expect(textOf(read([text]))).to.equal(text);
  });
});

describe('no call in a native dialect', () => {
  const text = call('get_weather', { city: 'Rome' });
  const cases: [what: string, text: string, id?: string][] = [
    ['one in inline code', `Write \`${text.replaceAll('\n', '')}\` there.`],
    ['one in a quotation that words follow', `> ${text.replaceAll('\n', '')}\n\nAs said.`],
    ['one of no tool that there is', call('nope', {})],
    ['a sentence with tags', 'The <tool_call> tag and <invoke name="get_weather"> are used. <b>So</b>.'],
    ['HTML', '<div class="a">Hi <s>old</s></div>\n<search>a</search>'],
    ['an object of another kind', '{"name": "Bob", "age": 3}'],
    ['the description of a tool', '{"name": "get_weather", "description": "The weather", "parameters": {"type": "object"}}'],
    ['a word with brackets', 'get_weather(city) tells it'],
    ['a block of another built-in protocol', protocols['xml-invoke']!.writeCall!('get_weather', { city: 'Rome' }), 'json-action'],
    ['what stands in such a block', protocols['vcp']!.writeCall!('write_file', { content: text }), 'json-action'],
  ];
  for (const [what, given, id] of cases)
    it(`is ${what}`, () => {
      for (const size of [1, 5, given.length]) {
        const found = read(cutEvery(given, size), id);
        expect(found.map(({ type }) => type)).to.deep.equal(['text']);
        expect(textOf(found)).to.equal(given);
      }
    });

  it('is one in reasoning', () => {
    expect(callsOf(read([`<think>\n${text}\n</think>\nHi`]))).to.deep.equal([]);
    expect(read([`I would\n${text}\n</think>\nHi`]).map(({ type }) => type)).to.include('was-reasoning');
  });

  it('runs from a fence: it is offered', () => {
    expect(callsOf(read([`So:\n\`\`\`\n${text}\n\`\`\``])).map(({ flags }) => flags)).to.deep.equal([['foreign', 'quoted']]);
  });
});
