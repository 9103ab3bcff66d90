/** What a model drafts in its thoughts does not run, also where its template has swallowed their beginning: then only `</think>` tells. */
import { expect } from 'chai';
import { createAnyReader } from '../../src/protocols/any-protocol.js';
import { onCallComplete } from '../../src/protocols/on-call-complete.js';
import { parseResponse } from '../../src/protocols/parse-response.js';
import type { ProtocolReader, Segment } from '../../src/protocols/protocol.js';
import { createMadeCallReader } from '../../src/relay/gate/parse-calls.js';
import { isLinear } from '../helpers/cost.js';
import drafts from '../fixtures/protocols/drafts.json' with { type: 'json' };
import marks from '../fixtures/protocols/thought-marks.json' with { type: 'json' };
import { all } from './reading.js';

function readAll(reader: ProtocolReader, pieces: Iterable<string>) {
  let [calls, text, thought]: [string[], string, string] = [[], '', ''];
  const parser = reader.createParser!((segment: Segment) => {
    if (segment.type === 'was-reasoning') [calls, text, thought] = [[], '', thought + text];
    if (segment.type === 'call' && !segment.flags?.includes('quoted')) calls.push(String(segment.arguments['title']));
    if (segment.type === 'text') text += segment.text;
    if (segment.type === 'reasoning') thought += segment.text;
  });
  for (const piece of pieces) parser.push(piece);
  parser.end();
  return { calls, text, thought };
}

function readInPieces(reader: ProtocolReader, source: string) {
  const whole = readAll(reader, [source]);
  expect(readAll(reader, source), 'in single characters').to.deep.equal(whole);
  for (let at = 1; at < source.length; at += 1)
    expect(readAll(reader, [source.slice(0, at), source.slice(at)]), `cut after ${String(at)}`).to.deep.equal(whole);
  return whole;
}

for (const protocol of all) {
  const { id } = protocol;
  const call = (title: string) => protocol.writeCall('create_task', { title });

  describe(`calls drafted in thoughts, ${id}`, () => {
    const draft = `They ask how. It would be\n\n${call('draft')}`;
    for (const [where, text, ...runs] of drafts as Iterable<string[]>)
      it(`do not run: an end without a beginning, ${where}`, () => {
        const source = text!.replace('DRAFT', () => draft).replace('REAL', () => call('real'));
        const seen = readInPieces(protocol, source);
        expect([seen.calls, seen.text.trim()]).to.deep.equal([runs, 'Open the menu.']);
        expect(seen.thought).to.include('It would be');
      });

    it('do not run between any marks of thoughts, nor before an end whose beginning the prompt has', () => {
      for (const [beginning, end] of marks as Iterable<string>) {
        const after = `\n${end}\n\nOpen the menu.`;
        for (const source of [draft + after, beginning + draft + after, `${beginning}\n${draft}\nHm.${after}\n\n${call('real')}`]) {
          const { calls, thought } = readAll(protocol, source);
          expect([calls, readAll(protocol, [source]).calls], source).to.deep.equal(
            [...Array(2)].fill(source.endsWith(draft + after) ? [] : ['real']),
          );
          expect(thought, source).to.include('It would be');
        }
        const mention = `I do it.\n\n${call('real')}\n\nThe mark \`${end}\` ends it.`;
        expect(readAll(protocol, mention).calls, mention).to.deep.equal(['real']);
      }
    });

    it('do not run as whole replies, when read at the end, in any notation or by the relay', async () => {
      const source = `Maybe\n\n${call('draft')}\n\nNo.\n</think>\n\nOpen the menu.`;
      expect(parseResponse(source, protocol)).to.deep.equal({ type: 'text', toolCalls: [], text: '\n\nOpen the menu.' });
      expect(protocol.parseToolRequests(source)).to.deep.equal([]);
      expect(readAll({ id, createParser: onCallComplete(protocol.createParser) }, source).calls).to.deep.equal([]);
      expect(readAll(createAnyReader(id), source).calls).to.deep.equal([]);
      const relay = createMadeCallReader({ protocol: id, accept: 'active', names: new Set() });
      relay.push(source.slice(0, -40));
      relay.push(source.slice(-40));
      relay.end('stop');
      expect([await relay.take(), relay.withdrawn(), relay.withdrawn()]).to.deep.equal([[], true, false]);
    });

    it('are no drafts where the tag is a word, in code, in a quotation, or comes first', () => {
      const mentions = ['The tag `</think>` ends it.', 'The tag </think> ends it.', 'The tag "</think>" ends it.'];
      for (const after of [...mentions, '```\n</think>\n```', '> </think>']) {
        const { calls, thought } = readInPieces(protocol, `I do it.\n\n${call('real')}\n\n${after}`);
        expect([calls, thought], after).to.deep.equal([['real'], '']);
      }
      for (const before of ['</think>\n\n', '\n</think>\n\n', '<think>Well.</think>\n\n', '<think>Well.</think>\n</think>\n'])
        expect(readInPieces(protocol, `${before}${call('real')}`).calls, before).to.deep.equal(['real']);
    });

    it('are told from the answer in linear time', async () => {
      const prepare = (count: number) => () => readAll(protocol, [`word </think> \n</think>x\n${call('a')}\n`.repeat(count)]);
      expect(await isLinear(prepare, 1000)).to.equal(true);
    });
  });
}
