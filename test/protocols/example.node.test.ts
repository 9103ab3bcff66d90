import { expect } from 'chai';
import { exampleArguments } from '../../src/protocols/example.js';
import type { JsonSchema } from '../../src/protocols/protocol.js';

describe('example arguments', () => {
  const example = (parameters: JsonSchema, lang = 'en') => exampleArguments({ parameters }, { lang, today: '2026-11-30' });

  it('come from the method, if it has an example', () => {
    expect(exampleArguments({ example: { a: 1 }, parameters: { properties: { b: {} } } })).to.deep.equal({ a: 1 });
  });

  const string = { type: 'string' };
  const pattern = (source: string) => ({ properties: { p: { ...string, pattern: source } } });
  const all = (properties: Record<string, object>) => ({ type: 'object', properties, required: Object.keys(properties) });
  const two = { first: string, second: { type: 'integer' } };
  const names = all({ title: string, 标题: string, task_id: string });
  const node = all({ value: { anyOf: [{ type: 'integer' }, string] }, next: { $ref: '#/$defs/node' } });
  for (const [title, ...cases] of [
    [
      'hold what is required, or else the first parameter',
      [{ properties: two, required: ['second'] }, { second: 1 }],
      [{ properties: two }, { first: 'some first' }],
      [{}, {}],
    ],
    [
      'prefer what the schema names',
      [
        all({ a: { default: 5 }, b: { examples: ['x'] }, c: { const: null }, d: { enum: ['one', 'two'] } }),
        { a: 5, b: 'x', c: null, d: 'one' },
      ],
    ],
    [
      'fit type, format and bounds',
      [
        all({ date: { ...string, format: 'date' }, task_id: { type: ['null', 'string'], maxLength: 6 } }),
        { date: '2026-12-01', task_id: 'a-1' },
      ],
      [all({ note: { ...string, maxLength: 6 }, count: { type: 'integer', minimum: 3, multipleOf: 2 } }), { note: 'some n', count: 4 }],
      [all({ rate: { type: 'number', maximum: 0.5 }, on: { type: 'boolean' } }), { rate: 0.5, on: true }],
      [all({ tags: { type: 'array', items: string, minItems: 2 } }), { tags: ['some tags', 'some tags'] }],
      [all({ place: { properties: { x: { type: 'number' }, y: {} }, required: ['x'], type: 'object' } }), { place: { x: 1 } }],
    ],
    [
      'fit a pattern where a short sample does, else say nothing of it',
      [pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}$'), { p: '2026-12-01' }],
      [pattern('^#[0-9a-f]{6}$'), { p: '#a0ffee' }],
      [pattern('^[A-Z]{40}$'), { p: 'some p' }],
      [pattern('('), { p: 'some p' }],
    ],
    [
      'keep to the language of the prompt',
      [names, { title: '示例', 标题: '示例标题', task_id: 'a-1' }, 'zh-CN'],
      [names, { title: 'some title', 标题: 'example', task_id: 'a-1' }],
    ],
    [
      'follow references and alternatives, and end in recursive schemas',
      [{ $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } }, {}],
      [{ allOf: [{ properties: { a: { type: 'boolean' } } }, { required: ['a'] }] }, { a: true }],
    ],
  ] as [string, ...[JsonSchema, object, string?][]][])
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
