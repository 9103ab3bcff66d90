import { expect } from 'chai';
import { exampleArguments } from '../../src/protocols/example.js';
import type { JsonSchema } from '../../src/protocols/protocol.js';
import examples from '../fixtures/protocols/examples.json' with { type: 'json' };

describe('example arguments', () => {
  const example = (parameters: JsonSchema, lang = 'en') => exampleArguments({ parameters }, { lang, today: '2026-11-30' });

  it('come from the method, if it has an example', () => {
    expect(exampleArguments({ example: { a: 1 }, parameters: { properties: { b: {} } } })).to.deep.equal({ a: 1 });
  });

  const string = { type: 'string' };
  const all = (properties: Record<string, object>) => ({ type: 'object', properties, required: Object.keys(properties) });
  const node = all({ value: { anyOf: [{ type: 'integer' }, string] }, next: { $ref: '#/$defs/node' } });
  for (const [title, ...cases] of examples as unknown as [string, ...[JsonSchema, object, string?][]][])
    it(title, () => {
      for (const [parameters, expected, lang] of cases) expect(example(parameters, lang)).to.deep.equal(expected);
      const recursive = example({ $ref: '#/$defs/node', $defs: { node } });
      expect(recursive).to.deep.include({ value: 1 });
      expect(JSON.stringify(recursive)).to.have.length.below(300);
    });

  it('are near today and short: models copy them', () => {
    const formats = ['date', 'date-time', 'uuid', 'email'];
    const text = JSON.stringify(example(all(Object.fromEntries(formats.map((format) => [format, { ...string, format }])))));
    expect(text).to.match(/^(?=.*2026-12-01)(?!.*(2024|123e4567))/);
  });

  it('count the days of the host’s own from today', () => {
    const own = { on: '{today}', list: ['daily::{today+2}', '{today-1}'], '{today}': '{tomorrow}' };
    expect(exampleArguments({ example: own }, { today: '2026-11-30' })).to.deep.equal({
      on: '2026-11-30',
      list: ['daily::2026-12-02', '2026-11-29'],
      '{today}': '{tomorrow}',
    });
    expect(own.on).to.equal('{today}');
  });

  it('own what they hold, whatever a parameter is called', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}') as JsonSchema;
    const values = example(schema);
    expect(Object.keys(values)).to.deep.equal(['__proto__']);
    expect(Object.getPrototypeOf(values)).to.equal(Object.prototype);
  });
});
