/** Calls as models' own chat templates write them, read beside the chosen protocol. */
import { expect } from 'chai';
import { withDialects, type DialectOptions } from '../../src/protocols/dialects.js';
import { protocols } from '../../src/protocols/index.js';
import { nativeReader } from '../../src/protocols/native-reader.js';
import type { EndReason, Segment } from '../../src/protocols/protocol.js';
import { assertSame, createRandom, cutAtRandom, cutEvery, joinTexts } from '../../src/testing/chunks.js';
import calls from '../fixtures/protocols/dialects.json' with { type: 'json' };
import cases from '../fixtures/protocols/dialect-cases.json' with { type: 'json' };
import { rounds } from '../helpers/effort.js';

const dialectSamples: Record<string, string> = calls;
const names = ['get_weather', 'get_time', 'search', 'write_file', 'create_task'];

interface How {
  id?: string;
  reason?: EndReason;
  /** Its end is proved. */
  isWhole?: boolean;
  /** Came outside of the text. */
  called?: string;
}

function read(chunks: readonly string[], { id = 'native', reason = 'stop', isWhole = true, called }: How = {}) {
  const found: Segment[] = [];
  const { createParser } = id === 'native' ? nativeReader : protocols[id]!;
  const dialects: DialectOptions = {
    ...{ isTool: (name) => names.includes(name), active: id, mayMend: () => isWhole, isWhole: () => isWhole },
    isCalled: (name) => name === called,
  };
  const parser = withDialects(createParser!, dialects)((segment) => found.push(segment));
  for (const chunk of chunks) parser.push(chunk);
  parser.end(reason);
  return joinTexts(found);
}
const textOf = (segments: readonly Segment[]) => segments.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('');
const callsOf = (segments: readonly Segment[]) => segments.flatMap((one) => (one.type === 'call' ? [one] : []));
const call = (name: string, args: object) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
/** They are calls only where they are the whole reply. */
const bare = /^(?:python|json|llamaBare|functools|gemmaBare|functionaryBare|harmonyGarbled)/;

describe('a call in a native dialect', () => {
  const city = { city: 'Paris' };
  for (const [isDoubtful, text, id = 'native'] of cases.doubtful as [boolean, string, string?][])
    it(`that ${isDoubtful ? 'can be read in two ways is' : 'says one thing is not'} doubtful: ${text}`, () => {
      for (const chunks of [[text], cutEvery(text, 1)]) {
        const found = callsOf(read(chunks, { id }));
        expect(found.map(({ name, arguments: args }) => [name, { ...args }])).to.deep.equal([['get_weather', city]]);
        expect(found[0]!.flags?.includes('suspicious') === true).to.equal(isDoubtful);
      }
    });

  for (const [name, sample] of Object.entries(dialectSamples))
    it(`is read, wherever the stream is cut: ${name}`, () => {
      for (const before of bare.test(name) ? [''] : ['', 'Let me look.\n\n']) {
        const text = before + sample;
        const whole = read([text]);
        expect(callsOf(whole).map((one) => [one.name, { ...one.arguments }, one.flags?.[0]])).to.deep.equal([
          name === 'glmNone' ? ['get_time', {}, 'foreign'] : ['get_weather', { city: 'Paris' }, 'foreign'],
        ]);
        expect(textOf(whole).trim()).to.equal(before.trim());
        assertSame(read(cutEvery(text, 1)), whole, () => `byte by byte: ${text}`);
        // Without words before it, each place is a place in the sample.
        for (let at = 1; before === '' && at < text.length; at += 1)
          assertSame(read([text.slice(0, at), text.slice(at)]), whole, () => `behind ${text.slice(0, at)}`);
      }
    });

  it('is read in a long reply with several of them, cut at random', () => {
    const samples = Object.entries(dialectSamples).filter(([name]) => !bare.test(name) && !/Open$|NoClose$|Think$|^harmony2$/.test(name));
    const text = samples
      .map(
        ([name, sample]) => `Now ${name}, a < b [1] and so on.\n\n${sample.replace(/<[^<>]*(?:eos|eom_?i?d?|turn)\|?>$|<\/s>$/, '')}\n\n`,
      )
      .join('');
    const whole = read([text]);
    expect(callsOf(whole)).to.have.length(samples.length);
    const random = createRandom(7);
    for (let round = 0; round < rounds(100); round += 1) assertSame(read(cutAtRandom(text, random)), whole, () => `round ${String(round)}`);
  });

  it('keeps a value as it is, with brackets, quotes and the beginnings of marks', () => {
    const city = 'Pa) [x]} "ri\'s <b </i';
    const json = JSON.stringify({ city });
    for (const text of [
      `get_weather(city=${JSON.stringify(city)})`,
      `[get_weather(city=${JSON.stringify(city)})]`,
      `<tool_call>{"name":"get_weather","arguments":${json}}</tool_call>`,
      `<tool_call><function=get_weather><parameter=city>${city}</parameter></function></tool_call>`,
      `get_weather\n${json}`,
    ])
      for (const chunks of [[text], ...cutEvery(text, 1).map((_, at) => [text.slice(0, at), text.slice(at)]), cutEvery(text, 1)])
        expect(
          callsOf(read(chunks)).map(({ arguments: args }) => ({ ...args })),
          `${chunks[0]} · ${chunks[1] ?? ''}`,
        ).to.deep.equal([{ city }]);
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
    for (const [text, code, rest] of cases.broken as [text: string, code: string, rest: string][])
      for (const size of [1, 7, text.length]) {
        const found = read(cutEvery(text, size));
        expect(found.flatMap((one) => (one.type === 'call-error' ? [one.code] : one.type === 'call' ? ['call'] : []))).to.deep.equal([
          code,
        ]);
        expect(textOf(found)).to.equal(rest);
      }
  });
});

describe('a call without marks', () => {
  const flags = (text: string, how?: How) => callsOf(read(cutEvery(text, 3), how)).map((one) => one.flags);
  for (const text of ['{"name":"get_weather","arguments":{"city":"Rome"}}', 'get_weather(city="Rome")', 'get_weather\n{"city": "Rome"}'])
    it(`is only in doubt where it is not the whole of a reply that has ended well: ${text}`, () => {
      expect(flags(text)).to.deep.equal([['foreign']]);
      expect(flags(`${text}<|im_end|>\n`)).to.deep.equal([['foreign']]);
      expect(flags(`${text}\nI run this now.`)).to.deep.equal([['foreign', 'suspicious']]);
      expect(flags(text, { isWhole: false })).to.deep.equal([['foreign', 'suspicious']]);
      expect(flags(text, { reason: 'length' })).to.deep.equal([['foreign', 'suspicious']]);
      expect(flags(text, { reason: 'abort' })).to.deep.equal([]);
      expect(flags(`So: ${text}`)).to.deep.equal([]);
    });

  it('is the same call as one that came outside of the text, and hidden', () => {
    for (const text of [dialectSamples['harmonyGarbled']!, dialectSamples['jsonBare']!]) {
      const found = read(cutEvery(`${text.trimEnd()}\nNoted.`, 2), { called: 'get_weather' });
      expect([callsOf(found), textOf(found).trim()]).to.deep.equal([[], 'Noted.']);
      expect(callsOf(read([text], { called: 'search' }))).to.have.length(1);
    }
  });
});

describe('no call in a native dialect', () => {
  const text = call('get_weather', { city: 'Rome' });
  for (const [what, given, id] of cases.none as [what: string, text: string, id?: string][])
    it(`is ${what}`, () => {
      for (const size of [1, 5, given.length]) {
        const found = read(cutEvery(given, size), { ...(id && { id }) });
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
