import { expect } from 'chai';
import fc from 'fast-check';
import { protocols } from '../../src/protocols/index.js';
import { findNearMiss } from '../../src/protocols/near-miss.js';
import { cpuTime } from '../helpers/cpu-time.js';

const ids = Object.keys(protocols);
const isTool = (name: string) => name === 'save';
const call = (id: string, name = 'save') => protocols[id]!.writeCall!(name, { path: '/a', text: 'b\nc' });
const miss = (text: string, active = 'xml-invoke') => findNearMiss(text, { active, isTool });
const space = `${'ant'}${'ml:'}`;
const invoke = (prefix = '', name = 'save') =>
  `<${prefix}invoke name="${name}">\n<${prefix}parameter name="path">/a</${prefix}parameter>\n</${prefix}invoke>`;

describe('a near miss', () => {
  for (const active of ids) {
    for (const written of ids) {
      if (written === active) continue;
      it(`is a whole call of ${written} at the end of a reply under ${active}`, () => {
        const found = miss(`Sure, here it is:\n\n${call(written)}\n \n`, active)!;
        expect(found).to.include({ protocol: written, name: 'save' });
        expect(call(written)).to.include(found.raw);
      });
    }
  }

  it('is a call in the tags of other models, as it was written', () => {
    const cases: [text: string, nearest: string, raw?: string][] = [
      ['<tool_call>\n{"name": "save", "arguments": {"path": "/a"}}\n</tool_call>', 'tool-code'],
      [`<function_calls>\n${invoke()}\n</function_calls>`, 'xml-invoke', invoke()],
      [`<${space}function_calls>\n${invoke(space)}\n</${space}function_calls>`, 'xml-invoke', invoke(space)],
      [`<function_calls>${invoke(space)}</function_calls>`, 'xml-invoke', invoke(space)],
      [`<Tool_Use>${invoke()}</Tool_Use>`, 'xml-invoke', invoke()],
      [`<TOOL_USE>${invoke().replaceAll('invoke', 'Invoke')}</TOOL_USE>`, 'xml-invoke', invoke().replaceAll('invoke', 'Invoke')],
      ['<Tool_Code>{"name": "save"}</Tool_Code>', 'tool-code'],
    ];
    for (const [text, protocol, raw] of cases) {
      for (const active of ids) {
        const found = miss(`Sure.\n${text}\n`, active);
        expect(found, `${text} under ${active}`).to.include({ protocol, name: 'save' });
        if (raw) expect(found!.raw).to.equal(raw);
        else expect(text).to.include(found!.raw);
      }
    }
  });

  it('is the last of several calls', () => {
    expect(miss(`${call('vcp', 'other')}\n${call('vcp')}`)).to.include({ protocol: 'vcp', name: 'save' });
  });

  it('may stand behind reasoning', () => {
    expect(miss(`<think>hm</think>\n${call('vcp')}`)).to.include({ protocol: 'vcp' });
  });
});

describe('no near miss', () => {
  const cases: [what: string, text: string, active?: string][] = [
    ['is an empty reply', ''],
    ['is prose', 'All done. (1 > 0)\n> quoted >'],
    ['is ordinary code', '```json\n{"a": 1}\n```'],
    ['is a call that words follow', `${call('vcp')}\nThat is how it is done.`],
    ['is a call that reasoning follows', `${call('vcp')}\n<think>well</think>`],
    ['is a call of a tool that does not exist', call('vcp', 'other')],
    ['is a call in a fence', `\`\`\`\n${call('vcp')}\n\`\`\``],
    ['is a call in inline code', 'Write `<tool_code>{"name": "save"}</tool_code>`'],
    ['is a call in reasoning', `<think>\n${call('vcp')}\n</think>`],
    ['is a call in reasoning left open', `<think>\n${call('vcp')}`],
    ['is a call that was cut', `${call('vcp').slice(0, -1)}`],
    ['is a call that is broken', '<<<[TOOL_REQUEST]>>>\ntool_name:「始」save\n<<<[END_TOOL_REQUEST]>>>'],
    ['is a call with its end missing', `<Tool_Use>${invoke().replace('</invoke>', '')}</Tool_Use>`],
    ['is a call of the active protocol itself', call('vcp'), 'vcp'],
    ['is an opener alone', '<tool_call>'],
  ];
  for (const [what, text, active] of cases) it(what, () => expect(miss(text, active)).to.equal(undefined));
});

describe('looking for a near miss', () => {
  it('never throws, and only ever names a tool there is', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ids.map((id) => call(id)), invoke(space), '<tool_call>', '</tool_call>', '\n', '`', '}', '>'),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(...ids), (pieces, active) => {
        const text = pieces.join('');
        const found = miss(text, active);
        if (!found) return;
        expect(found.name).to.equal('save');
        expect(text).to.include(found.raw);
        expect(found.raw).not.to.equal('');
      }),
    );
  });

  it('is linear', () => {
    const time = (count: number) => {
      const start = cpuTime();
      miss(`${`<tool_use><function_calls>{"tool_calls" \`\`\`json\n{`.repeat(count)}>`);
      return cpuTime() - start;
    };
    time(200);
    const isLinear = () => Math.min(time(8000), time(8000)) < 10 * Math.max(Math.min(time(2000), time(2000)), 20);
    expect(isLinear() || isLinear() || isLinear()).to.equal(true);
  });
});
