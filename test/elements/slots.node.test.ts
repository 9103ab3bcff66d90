/** The places of a template (S4-45). */
import { expect } from 'chai';
import { composerTemplates, sectionTemplates } from '../../src/conversation/options/composer-templates.js';
import { slotsOf } from '../../src/elements/tool-chat-composer/slots.js';

const slots = (text: string) => slotsOf(text).map(({ start, end }) => text.slice(start, end));

describe('places of a template', () => {
  it('are names in braces, on one line and short', () => {
    expect(slots('Write {a} and {b c}.')).to.deep.equal(['{a}', '{b c}']);
    expect(slots('{} {\n} {{x}} }{y}')).to.deep.equal(['{x}', '{y}']);
    expect(slots(`{${'x'.repeat(60)}} {z}`)).to.deep.equal(['{z}']);
  });
});

describe('`promptTemplates`', () => {
  it('holds sections by protocol and a list for people, and mixes neither', () => {
    const templates = { vcp: { rules: 'x' }, composer: [{ label: 'Task', text: 'Do {what}' }] };
    expect(sectionTemplates(templates)).to.deep.equal({ vcp: { rules: 'x' } });
    expect(composerTemplates(templates)).to.deep.equal([{ label: 'Task', text: 'Do {what}' }]);
    for (const wrong of [undefined, null, 7, [], { composer: { rules: 'x' } }, { composer: [null, { label: 'a' }, { label: 1, text: 2 }] }])
      expect(composerTemplates(wrong)).to.deep.equal([]);
    expect(composerTemplates(Object.create({ composer: [{ label: 'a', text: 'b' }] }))).to.deep.equal([]);
  });
});
