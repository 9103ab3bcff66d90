/** The form of a schema, and back: every kind of field, and what nobody touched. */
import { expect } from 'chai';
import { formArguments, fieldsOf, fieldText } from '../../src/elements/tool-chat-edit/form-fields.js';
import schemas from '../fixtures/elements/argument-forms.json' with { type: 'json' };

const form = (args: Record<string, unknown> = {}, sensitive: boolean | string[] = ['pin']) =>
  fieldsOf({ schema: schemas.kinds, sensitive, args });
const written = (...pairs: [string, string][]) => new Map(pairs);

describe('fields of a form', () => {
  it('have the label that a reference leads to, and the name behind it where two have the same', () => {
    const properties = { from: { $ref: '#/$defs/day' }, to: { allOf: [{ $ref: '#/$defs/day' }] }, note: { type: 'string', title: 'Note' } };
    const schema = { type: 'object', properties, $defs: { day: { type: 'string', title: 'Day' } } };
    expect(fieldsOf({ schema, sensitive: false, args: {} }).map(({ label }) => label)).to.deep.equal(['Day (from)', 'Day (to)', 'Note']);
  });

  it('are for people: dates have a picker, choices their names, and a box that may be left out a third place', () => {
    const args = { day: '2026-03-05', at: '2026-03-05T09:30:00Z', local: '2026-03-05T09:30', gone: '2026-02-31', set: false };
    const fields = fieldsOf({ schema: schemas.people, sensitive: false, args });
    const all = Object.fromEntries(fields.map((field) => [field.name, field]));
    const pickers = fields.flatMap(({ name, picker }) => (picker ? [`${name} ${picker}`] : []));
    expect(pickers).to.deep.equal(['day date', 'hour time', 'local datetime-local']);
    expect(all['day']?.label).to.equal('Day');
    expect([all['loud']?.kind, all['loud']?.options, all['set']?.kind]).to.deep.equal(['choice', [true, false], 'yes-no']);
    expect(all['level']?.optionNames).to.deep.equal(['At once', undefined]);
    expect(formArguments(fields, new Map())).to.deep.equal({ ok: true, args });
    expect(formArguments(fields, written(['loud', '1']))).to.deep.equal({ ok: true, args: { ...args, loud: false } });
  });

  it('offer null where it is one of the choices, however that is written', () => {
    const low = { enum: ['low', 'high'] };
    const ways = [{ enum: ['low', 'high', null] }, { ...low, nullable: true }, { anyOf: [low, { type: 'null' }] }];
    const fields = ways.map((way) => fieldsOf({ schema: { properties: { way } }, sensitive: false, args: { way: null } })[0]!);
    expect(fields.map(({ kind, options }) => [kind, options])).to.deep.equal(ways.map(() => ['choice', ['low', 'high', null]]));
    expect(fields.map(fieldText)).to.deep.equal(['2', '2', '2']);
  });

  it('give back untouched what nobody touched', () => {
    const args = { title: ' 1\r\n', count: 9_007_199_254_740_991, tags: ['a'], size: 3, done: false, odd: null };
    expect(formArguments(form(args), new Map())).to.deep.equal({ ok: true, args });
    // Opened, and what stands there typed once more.
    const fields = form(args);
    expect(formArguments(fields, new Map(fields.map((field) => [field.name, fieldText(field)])))).to.deep.equal({ ok: true, args });
  });

  it('read each kind as what it is', () => {
    const texts = { title: '12', count: ' 12 ', price: '-1.5', done: 'true', size: '2', colour: '', tags: '["a", "b"]', notes: '' };
    const pairs = new Map(Object.entries({ ...texts, place: '{"street": "x"}' }));
    expect(formArguments(form({ colour: 'red', notes: 'gone' }), pairs)).to.deep.equal({
      ok: true,
      args: { title: '12', count: 12, price: -1.5, done: true, size: 3, tags: ['a', 'b'], place: { street: 'x' } },
    });
  });

  it('leave to the check what is no number, and say themselves what is no JSON', () => {
    expect(formArguments(form(), written(['count', 'many']))).to.deep.equal({ ok: true, args: { count: 'many' } });
    expect(formArguments(form(), written(['count', '9007199254740993']))).to.deep.equal({ ok: true, args: { count: '9007199254740993' } });
    const unreadable = ['tags', 'place'].map((name) => ({ name, problem: 'json' }));
    expect(formArguments(form(), written(['tags', '[a'], ['place', '{']))).to.deep.equal({ ok: false, unreadable });
    expect(formArguments(form({ title: 'x' }), written(['title', '']))).to.deep.equal({ ok: true, args: { title: '' } });
  });

  it('never read a name of a prototype as a declaration', () => {
    const fields = fieldsOf({
      schema: schemas.kinds,
      sensitive: false,
      args: JSON.parse('{"toString": 1, "__proto__x": 2}') as Record<string, unknown>,
    });
    expect(fields.filter(({ name }) => name === 'toString').map(({ kind }) => kind)).to.deep.equal(['number']);
  });
});
