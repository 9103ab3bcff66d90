import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import { malformedCallResult } from '../../src/conversation/reply/call-sink.js';
import { addChinesePrompts } from '../../src/prompts/chinese.js';
import { formatResults, type ResultOptions } from '../../src/prompts/results.js';
import { protocols } from '../../src/protocols/index.js';
import type { CallErrorCode, ToolDescription } from '../../src/protocols/protocol.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';
import { normalizeResult, outcomes, publish } from '../../src/tools/result.js';

addChinesePrompts();
const parameters = { type: 'object', properties: { title: { type: 'string' } } };
const tool: ToolDescription = {
  ...{ toolId: 'create_task', toolName: 'create_task' },
  methods: [{ name: 'create_task', description: 'Creates a task.', parameters }],
};
const call = { requestId: 'call-1', toolName: 'create_task', texts: en };
const done = () => publish(normalizeResult('done', en), call);
const teaching: Omit<ResultOptions, 'lang'> = { tools: [tool], texts: en, callsPerTurn: 'many' };
const THEN = '\n\nTell the user in one sentence what came of it. Do not repeat the block.';

describe('what stands behind results', () => {
  it('is one sentence that says what to do with them, in every notation and in the language of the prompt', () => {
    for (const protocol of Object.values(protocols)) {
      const english = formatResults(protocol, [done(), done()], 'en');
      expect(english.endsWith(THEN), protocol.id).to.equal(true);
      expect(english.split('Tell the user')).to.have.length(2);
      const chinese = formatResults(protocol, [done()], 'zh-CN');
      expect(chinese)
        .to.match(/\n\n请用一句话告诉用户结果，不要重复上面的内容块。$/)
        .and.not.to.contain('Tell');
    }
  });

  it('is how to write the call where that is to be tried again, and nothing where there are no results', () => {
    const broken = malformedCallResult({ requestId: 'call-1', code: 'unclosed', name: 'create_task' }, en);
    expect(formatResults(xmlInvoke, [broken], 'en', teaching))
      .to.contain('Write tool calls like this')
      .and.not.to.contain('Tell the user');
    expect(formatResults(xmlInvoke, [broken], 'en')).to.contain('Tell the user');
    expect(formatResults(xmlInvoke, [], 'en')).to.equal('');
  });

  it('asks for a mistaken call to be put right, where the model may call again', () => {
    const refused = publish(outcomes.refused('INVALID_PARAMETER', 'on: not a day'), call);
    expect(formatResults(xmlInvoke, [refused], 'en', teaching))
      .to.contain('Correct the call and send it again')
      .and.not.to.contain('what came of it');
    expect(formatResults(xmlInvoke, [refused], 'en')).to.contain('what came of it');
    const declined = publish(outcomes.denied(en), call);
    expect(formatResults(xmlInvoke, [declined], 'en', teaching)).to.contain('what came of it');
  });
});

describe('a call that could not be read', () => {
  const broken = (code: CallErrorCode, name?: string) => malformedCallResult({ requestId: 'call-1', code, name }, en);

  it('ends in an error like any other, which says what was wrong', () => {
    const codes: CallErrorCode[] = ['unclosed', 'missing_name', 'bad_json', 'bad_shape', 'malformed', 'too_large'];
    const results = codes.map((code) => broken(code));
    expect(new Set(results.map(({ result }) => result)).size).to.equal(codes.length);
    expect(results[0]).to.deep.include({
      ...{ requestId: 'call-1', toolName: '', status: 'error', code: 'MALFORMED_CALL', errorType: 'invalid_format', durationMs: 0 },
    });
    expect(results[5]?.result).to.contain('accumulator overflow');
  });

  it('is shown in any notation how it is written, with its own name and an argument', () => {
    for (const protocol of Object.values(protocols)) {
      const text = formatResults(protocol, [broken('malformed', 'create_task')], 'en', teaching);
      const [request, ...more] = protocol.parseToolRequests(text);
      expect(more).to.deep.equal([]);
      expect(request?.toolName, protocol.id).to.equal('create_task');
      expect({ ...request?.args }).to.deep.equal({ title: 'some title' });
      expect(text.match(/Write tool calls like this:\n/g)).to.have.length(1);
    }
  });
});
