import { expect } from 'chai';
import { digestCall } from '../../src/tools/digest.js';
import { prepareCall, type Prepared } from '../../src/tools/prepare.js';
import { withSource } from '../../src/tools/tool-source.js';
import { checkedCall, setUp, throws, tool } from './helpers.js';
import { hostile } from './hostile.js';

const properties = { title: { type: 'string' }, done: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } } };
const parameters = { type: 'object', properties, required: ['title'] };
const create = tool({ name: 'create_task', risk: 'write', label: 'Create a task', icon: '📝', parameters });

function refused(prepared: Prepared) {
  if (prepared.type !== 'refused') throw new Error('The call was not refused');
  return prepared.result;
}

const request = (args: unknown, toolName = 'create_task') => ({ requestId: 'call-1', toolName, args });

describe('preparing a call', () => {
  it('gives a frozen call: coerced arguments, label, risk, digest', async () => {
    const setup = setUp([create], { taintedBy: { requestId: 'call-0', toolName: 'read_mail' } });
    const prepared = await prepareCall({ ...request({ title: '2024', done: 'true', tags: '["a"]' }), flags: ['repaired'] }, setup);
    if (prepared.type !== 'checked') throw new Error(prepared.result.result);
    const args = { title: '2024', done: true, tags: ['a'] };
    expect(prepared.call).to.deep.equal({
      ...{ requestId: 'call-1', toolName: 'create_task', label: 'Create a task', icon: '📝', risk: 'write', args },
      ...{ status: 'pending', reason: '', digest: await digestCall('create_task', args), flags: ['repaired'] },
      taintedBy: { requestId: 'call-0', toolName: 'read_mail' },
    });
    expect(() => ((prepared.call.args['tags'] as string[])[0] = 'b')).to.throw(TypeError);
    expect(() => ((prepared.call as { digest: string }).digest = 'x')).to.throw(TypeError);
  });

  it('takes no button from the label of a service that the page does not vouch for', async () => {
    const verbs = async (trusted: boolean, more: object = {}) => {
      const named = { ...tool({ name: 'send', label: 'Cancel' }), ...more };
      return (await checkedCall(setUp([withSource(named, { host: 'mcp.example', trusted })]), {}, 'send')).call.verbs;
    };
    const own = { allow: 'Send', deny: 'Keep' };
    expect([await verbs(false), await verbs(false, { verbs: own }), await verbs(true)]).to.deep.equal([
      { allow: 'Allow', deny: 'Deny' },
      own,
      undefined,
    ]);
  });

  it('takes along what people call its arguments, wherever the schema keeps that, and tells apart two of one label', async () => {
    const person = { $ref: '#/$defs/person' };
    const day = { $ref: '#/$defs/day' };
    const plain = { type: 'string' };
    const properties = {
      ...{ who: person, own: { ...person, 'x-label': 'Guest' }, to: day, day: plain, plain },
      from: { allOf: [day, { description: 'The first' }] },
    };
    const $defs = { person: { type: 'string', title: 'Person' }, day: { type: 'string', title: 'day_iso', 'x-label': 'Day' } };
    const setup = setUp([tool({ name: 'book', parameters: { type: 'object', properties, $defs } })]);
    const args = { who: 'Ada', from: 'Mon', to: 'Tue', day: 'Wed', plain: 'x', own: 'Bob' };
    const { call } = await checkedCall(setup, args, 'book');
    expect(call.labels).to.deep.equal({ who: 'Person', from: 'Day (from)', to: 'Day (to)', own: 'Guest' });
  });

  it('names the tools there are for one there is not (S0-56)', async () => {
    const setup = setUp([create, tool(), tool({ name: 'secret', requires: 'admin' })]);
    const result = refused(await prepareCall(request({}, 'make_coffee'), setup));
    expect(result).to.include({ code: 'TOOL_NOT_FOUND', status: 'error', errorType: 'invalid_format', durationMs: 0 });
    expect(result.result).to.contain('make_coffee').and.to.contain('create_task, echo').and.not.to.contain('secret');
  });

  it('refuses what the permissions do not cover (S0-82)', async () => {
    const guarded = tool({ name: 'delete_task', requires: ['tasks', 'delete'] });
    const result = refused(await prepareCall(request({}, 'delete_task'), setUp([guarded], { permissions: ['tasks'] })));
    expect(result).to.include({ success: false, errorType: 'auth' });
    expect(result.result).to.equal('TOOL_NOT_FOUND: The tool “delete_task” is not permitted here');
    const allowed = await prepareCall(request({}, 'delete_task'), setUp([guarded], { permissions: ['delete', 'tasks'] }));
    expect(allowed.type).to.equal('checked');
  });

  it('refuses arguments that do not fit, and runs nothing before (S0-55, S0-57, S0-58)', async () => {
    let ran = 0;
    const run = () => ++ran;
    const setup = setUp([{ ...create, execute: run, describeCall: () => String(run()), preview: () => (run(), []) }]);
    const refusal = async (args: object) => refused(await prepareCall(request(args), setup));
    const missing = { code: 'MISSING_PARAMETER', result: 'MISSING_PARAMETER: Missing parameter: title' };
    expect(await refusal({})).to.include(missing);
    const wrong = { code: 'INVALID_PARAMETER', errorType: 'invalid_format' };
    expect(await refusal({ title: 'x', done: 'perhaps' })).to.include(wrong);
    expect(await refusal({ title: 'x', extra: '1' })).to.include(wrong);
    expect(ran).to.equal(0);
    expect(setup.entries.filter(({ level }) => level === 'error')).to.have.length(3);
  });

  it('refuses names that reach for a prototype, also inside JSON text', async () => {
    const open = tool({ parameters: { type: 'object', additionalProperties: true, properties: { o: { type: 'object' } } } });
    for (const args of ['{"__proto__":{"x":1}}', '{"constructor":1}', '{"o":"{\\"__proto__\\":1}"}', '{"o":{"a":[{"prototype":1}]}}'])
      expect(refused(await prepareCall(request(JSON.parse(args), 'echo'), setUp([open]))), args).to.include({ code: 'INVALID_PARAMETER' });
    const list = setUp([tool({ parameters: { properties: { o: { type: 'array' } } } })]);
    const o = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(refused(await prepareCall(request({ o }, 'echo'), list))).to.include({ code: 'INVALID_PARAMETER' });
  });

  for (const [name, make] of Object.entries(hostile)) {
    it(`survives arguments that hold ${name}`, async () => {
      expect((await prepareCall(request({ title: make() }), setUp([create]))).type).to.be.oneOf(['checked', 'refused']);
      expect((await prepareCall(request(make()), setUp([create]))).type).to.equal('refused');
    });
  }

  it('shows and runs what was there at the call, whatever changes later (X-12, faults 57 and 114)', async () => {
    const args = { title: 'shown', tags: ['a'] };
    const prepared = await checkedCall(setUp([create]), args, 'create_task');
    args.title = 'changed';
    args.tags.push('b');
    expect(prepared.call.args).to.deep.equal({ title: 'shown', tags: ['a'] });
    const mine = prepared.argsForTool() as typeof args;
    mine.tags.push('c');
    expect(prepared.argsForTool()).to.deep.equal({ title: 'shown', tags: ['a'] });
    expect(prepared.call.args).to.deep.equal({ title: 'shown', tags: ['a'] });
  });

  it('converts by the look of a text where the page wants it so, and checks the declared reading (S0-51)', async () => {
    const pattern = setUp([create], { coercion: 'pattern' });
    const args = { title: '2024', done: 'true' };
    expect((await checkedCall(pattern, args, 'create_task')).argsForTool()).to.deep.equal({ title: 2024, done: true });
    expect(refused(await prepareCall(request({ title: 'x', done: 'no' }), pattern))).to.include({ code: 'INVALID_PARAMETER' });
  });

  it('asks the tool for a sentence and a preview, with arguments of their own', async () => {
    const described = tool({
      describeCall: (args) => {
        args['title'] = 'spoilt';
        return 'Deletes “Report”';
      },
      preview: async ({ title }) => [
        { label: 'Title', before: title },
        { label: 5 as never },
        undefined as never,
        { label: 'Big', after: hostile['a cycle']!() },
      ],
    });
    const { call } = await checkedCall(setUp([described]), { title: 'Report' });
    expect(call.sentence).to.equal('Deletes “Report”');
    expect(call.preview).to.deep.equal([
      { label: 'Title', before: 'Report' },
      { label: 'Big', after: { self: { cycle: '[circular]' } } },
    ]);
    expect(Object.isFrozen(call.preview?.[0])).to.equal(true);
    expect(call.args).to.deep.equal({ title: 'Report' });
  });

  it('does without a description that throws, lasts too long or is no text, and says so in the log', async () => {
    const fail = throws(new Error('no'));
    let aborted = false;
    const never = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>(() => signal.addEventListener('abort', () => (aborted = true)));
    const broken = [{ describeCall: fail, preview: fail }, { describeCall: never }, { describeCall: () => 5 as never }];
    const setup = setUp(
      broken.map((more, at) => tool({ name: 'abc'[at]!, ...more })),
      { limit: 5 },
    );
    for (const name of ['a', 'b', 'c']) expect((await checkedCall(setup, {}, name)).call).not.to.have.any.keys('sentence', 'preview');
    expect(aborted).to.equal(true);
    expect(setup.entries.filter(({ code }) => code === 'tool.describe')).to.have.length(3);
  });

  it('fails closed where the schema itself throws or never answers', async () => {
    const jsonSchema = { input: () => ({ type: 'object' }), output: () => ({}) };
    const schema = (name: string, validate: () => unknown) =>
      tool({ name, parameters: { '~standard': { version: 1, vendor: 'own', validate, jsonSchema } } as never });
    const broken = throws(new Error('schema broke'));
    const setup = setUp([schema('a', broken), schema('b', () => new Promise(() => undefined))], { limit: 5 });
    expect(refused(await prepareCall(request({}, 'a'), setup))).to.include({ code: 'EXECUTION_FAILED', message: 'schema broke' });
    expect(refused(await prepareCall(request({}, 'b'), setup))).to.include({ code: 'TIMEOUT' });
  });
});

describe('preparing a call of much', () => {
  const many = tool({ name: 'many', parameters: { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } } });

  it('refuses more than 100,000 values and tells the model the limit, also where they come as text', async () => {
    const list = (length: number) => Array.from({ length }, () => 0);
    for (const a of [list(100_000), JSON.stringify(list(100_000)), list(1_000_000)]) {
      const result = refused(await prepareCall(request({ a }, 'many'), setUp([many])));
      expect(result.code).to.equal('INVALID_PARAMETER');
      expect(result.result).to.contain('at most 100000 values');
    }
    expect((await prepareCall(request({ a: list(99_998) }, 'many'), setUp([many]))).type).to.equal('checked');
  });
});
