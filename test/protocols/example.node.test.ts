import { expect } from 'chai';
import { exampleArguments } from '../../src/protocols/example.js';
import type { JsonSchema } from '../../src/protocols/protocol.js';

describe('example arguments', () => {
  const example = (parameters: JsonSchema, lang = 'en') => exampleArguments({ parameters }, { lang, today: '2026-11-30' });

  it('come from the method, if it has an example', () => {
    expect(exampleArguments({ example: { a: 1 }, parameters: { properties: { b: {} } } })).to.deep.equal({ a: 1 });
  });

  it('hold what is required, or else the first parameter', () => {
    const properties = { first: { type: 'string' }, second: { type: 'integer' } };
    expect(example({ type: 'object', properties, required: ['second'] })).to.deep.equal({ second: 1 });
    expect(example({ type: 'object', properties })).to.deep.equal({ first: 'some first' });
    expect(example({})).to.deep.equal({});
  });

  it('prefer what the schema names', () => {
    const properties = { a: { default: 5 }, b: { examples: ['x'] }, c: { const: null }, d: { enum: ['one', 'two'] } };
    expect(example({ properties, required: ['a', 'b', 'c', 'd'] })).to.deep.equal({ a: 5, b: 'x', c: null, d: 'one' });
  });

  it('fit type, format and bounds', () => {
    const properties = {
      date: { type: 'string', format: 'date' },
      task_id: { type: ['null', 'string'], maxLength: 6 },
      note: { type: 'string', maxLength: 6 },
      count: { type: 'integer', minimum: 3, multipleOf: 2 },
      rate: { type: 'number', maximum: 0.5 },
      on: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      place: { type: 'object', properties: { x: { type: 'number' }, y: {} }, required: ['x'] },
    };
    expect(example({ properties, required: Object.keys(properties) })).to.deep.equal({
      date: '2026-12-01',
      task_id: 'a-1',
      note: 'some n',
      count: 4,
      rate: 0.5,
      on: true,
      tags: ['some tags', 'some tags'],
      place: { x: 1 },
    });
  });

  it('fit a pattern where a short sample does, else say nothing of it', () => {
    const pattern = (source: string) => example({ properties: { p: { type: 'string', pattern: source } } })['p'];
    expect(pattern('^[0-9]{4}-[0-9]{2}-[0-9]{2}$')).to.equal('2026-12-01');
    expect(pattern('^#[0-9a-f]{6}$')).to.equal('#a0ffee');
    expect(pattern('^[A-Z]{40}$')).to.equal('some p');
    expect(pattern('(')).to.equal('some p');
  });

  it('are near today and short: models copy them', () => {
    const required = ['date', 'date-time', 'uuid', 'email'];
    const text = JSON.stringify(
      example({ properties: Object.fromEntries(required.map((format) => [format, { type: 'string', format }])), required }),
    );
    expect(text)
      .to.contain('2026-12-01')
      .and.not.to.match(/2024|123e4567/);
  });

  it('keep to the language of the prompt', () => {
    const properties = { title: { type: 'string' }, 标题: { type: 'string' }, task_id: { type: 'string' } };
    const required = Object.keys(properties);
    expect(example({ properties, required }, 'zh-CN')).to.deep.equal({ title: '示例', 标题: '示例标题', task_id: 'a-1' });
    expect(example({ properties, required })).to.deep.equal({ title: 'some title', 标题: 'example', task_id: 'a-1' });
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

  it('follow references and alternatives, and end in recursive schemas', () => {
    const properties = { value: { anyOf: [{ type: 'integer' }, { type: 'string' }] }, next: { $ref: '#/$defs/node' } };
    const node = { type: 'object', properties, required: ['value', 'next'] };
    const schema: JsonSchema = { $ref: '#/$defs/node', $defs: { node } };
    expect(JSON.stringify(example(schema))).to.have.length.below(300);
    expect(example(schema)).to.deep.include({ value: 1 });
    expect(example({ $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } })).to.deep.equal({});
    expect(example({ allOf: [{ properties: { a: { type: 'boolean' } } }, { required: ['a'] }] })).to.deep.equal({ a: true });
  });

  it('own what they hold, whatever a parameter is called', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__","toString"]}') as JsonSchema;
    const values = example(schema);
    expect(Object.keys(values)).to.deep.equal(['__proto__']);
    expect(Object.getPrototypeOf(values)).to.equal(Object.prototype);
  });
});
