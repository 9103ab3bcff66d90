import { expect } from 'chai';
import * as fc from 'fast-check';
import * as z from 'zod';
import { digestCall } from '../../src/tools/digest.js';
import { prepareCall, type Prepared } from '../../src/tools/prepare.js';
import { checkedCall, setUp, tool } from './helpers.js';
import { hostile } from './hostile.js';

const create = tool({
  name: 'create_task',
  risk: 'write',
  label: 'Create a task',
  icon: '📝',
  parameters: {
    type: 'object',
    properties: { title: { type: 'string' }, done: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['title'],
  },
});

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
      ...{
        requestId: 'call-1',
        toolName: 'create_task',
        label: 'Create a task',
        icon: '📝',
        risk: 'write',
        args,
        status: 'pending',
        reason: '',
      },
      ...{ digest: await digestCall('create_task', args), flags: ['repaired'], taintedBy: { requestId: 'call-0', toolName: 'read_mail' } },
    });
    expect(() => ((prepared.call.args['tags'] as string[])[0] = 'b')).to.throw(TypeError);
    expect(() => ((prepared.call as { digest: string }).digest = 'x')).to.throw(TypeError);
  });

  it('takes along what people call its arguments, wherever the schema keeps that, and tells apart two of one label', async () => {
    const parameters = {
      type: 'object',
      properties: {
        who: { $ref: '#/$defs/person' },
        from: { allOf: [{ $ref: '#/$defs/day' }, { description: 'The first' }] },
        to: { $ref: '#/$defs/day' },
        day: { type: 'string' },
        plain: { type: 'string' },
        own: { $ref: '#/$defs/person', 'x-label': 'Guest' },
      },
      $defs: { person: { type: 'string', title: 'Person' }, day: { type: 'string', title: 'day_iso', 'x-label': 'Day' } },
    };
    const args = { who: 'Ada', from: 'Mon', to: 'Tue', day: 'Wed', plain: 'x', own: 'Bob' };
    const checked = await prepareCall(request(args, 'book'), setUp([tool({ name: 'book', parameters })]));
    expect(checked.type === 'checked' && checked.call.labels).to.deep.equal({
      ...{ who: 'Person', from: 'Day (from)', to: 'Day (to)', own: 'Guest' },
    });
  });

  it('takes along what its buttons say, and that it can be taken back', async () => {
    const verbs = { allow: 'Create it', deny: 'Rather not' };
    const named = { ...create, name: 'create_named', verbs, undo: () => Promise.resolve() };
    const prepared = await prepareCall(request({ title: 'x' }, 'create_named'), setUp([named, create]));
    const plain = await prepareCall(request({ title: 'x' }), setUp([named, create]));
    expect([prepared, plain].map((one) => one.type === 'checked' && [one.call.verbs, one.call.undoable])).to.deep.equal([
      [verbs, true],
      [undefined, undefined],
    ]);
  });

  it('calls a tool without a risk undeclared', async () => {
    const { risk: _, ...unknown } = tool();
    expect((await checkedCall(setUp([unknown]))).call.risk).to.equal('undeclared');
  });

  it('names the tools there are for one there is not (S0-56)', async () => {
    const setup = setUp([create, tool(), tool({ name: 'secret', requires: 'admin' })]);
    const result = refused(await prepareCall(request({}, 'make_coffee'), setup));
    expect(result).to.include({ code: 'TOOL_NOT_FOUND', status: 'error', errorType: 'invalid_format', durationMs: 0 });
    expect(result.result).to.contain('make_coffee').and.to.contain('create_task, echo').and.not.to.contain('secret');
  });

  it('finds nothing by names that objects inherit, other cases, blanks and look-alikes', async () => {
    const setup = setUp([create]);
    for (const name of ['constructor', '__proto__', 'toString', 'Create_Task', 'create_task ', 'сreate_task', '']) {
      expect(refused(await prepareCall(request({ title: 'x' }, name), setup)), name).to.include({ code: 'TOOL_NOT_FOUND' });
    }
  });

  it('takes the alias of the protocol', async () => {
    const setup = setUp([tool({ aliases: { vcp: 'Echo' } })], { protocolId: 'vcp' });
    expect((await checkedCall(setup, {}, 'Echo')).call.toolName).to.equal('echo');
  });

  it('refuses what the permissions do not cover (S0-82)', async () => {
    const guarded = tool({ name: 'delete_task', requires: ['tasks', 'delete'] });
    const result = refused(await prepareCall(request({}, 'delete_task'), setUp([guarded], { permissions: ['tasks'] })));
    expect(result).to.include({
      success: false,
      errorType: 'auth',
      result: 'TOOL_NOT_FOUND: The tool “delete_task” is not permitted here',
    });
    const allowed = await prepareCall(request({}, 'delete_task'), setUp([guarded], { permissions: ['delete', 'tasks'] }));
    expect(allowed.type).to.equal('checked');
  });

  it('refuses arguments that do not fit, and runs nothing before (S0-55, S0-57, S0-58)', async () => {
    let ran = 0;
    const run = () => ++ran;
    const watched = { ...create, execute: run, describeCall: () => String(run()), preview: () => [] };
    const setup = setUp([watched as typeof create]);
    expect(refused(await prepareCall(request({}), setup))).to.include({
      code: 'MISSING_PARAMETER',
      result: 'MISSING_PARAMETER: Missing parameter: title',
    });
    expect(refused(await prepareCall(request({ title: 'x', done: 'perhaps' }), setup))).to.include({
      code: 'INVALID_PARAMETER',
      errorType: 'invalid_format',
    });
    expect(refused(await prepareCall(request({ title: 'x', extra: '1' }), setup))).to.include({ code: 'INVALID_PARAMETER' });
    expect(ran).to.equal(0);
    expect(setup.entries.filter(({ level }) => level === 'error')).to.have.length(3);
  });

  it('refuses names that reach for a prototype, also inside JSON text', async () => {
    const open = tool({ parameters: { type: 'object', additionalProperties: true, properties: { o: { type: 'object' } } } });
    for (const args of ['{"__proto__":{"x":1}}', '{"constructor":1}', '{"o":"{\\"__proto__\\":1}"}', '{"o":{"a":[{"prototype":1}]}}']) {
      expect(refused(await prepareCall(request(JSON.parse(args), 'echo'), setUp([open]))), args).to.include({ code: 'INVALID_PARAMETER' });
    }
    const deep = `{"o":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const nested = { o: deep.slice(5, -1) };
    expect(
      refused(await prepareCall(request(nested, 'echo'), setUp([tool({ parameters: { properties: { o: { type: 'array' } } } })]))),
    ).to.include({
      code: 'INVALID_PARAMETER',
    });
  });

  for (const [name, make] of Object.entries(hostile)) {
    it(`survives arguments that hold ${name}`, async () => {
      expect((await prepareCall(request({ title: make() }), setUp([create]))).type).to.be.oneOf(['checked', 'refused']);
      expect((await prepareCall(request(make()), setUp([create]))).type).to.equal('refused');
    });
  }

  it('answers to any call with a type, and the same arguments with the same digest', async () => {
    const setup = setUp([tool({ parameters: { type: 'object', additionalProperties: true } })]);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (args) => {
        const [one, two] = [
          await prepareCall(request(args, 'echo'), setup),
          await prepareCall(request(structuredClone(args), 'echo'), setup),
        ];
        if (one.type === 'checked' && two.type === 'checked') expect(one.call.digest).to.equal(two.call.digest);
        else expect(one.type).to.equal(two.type);
      }),
      { numRuns: 50 },
    );
  });

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

  it('reads a getter once, so that no second answer can run', async () => {
    let reads = 0;
    const args = {
      get title() {
        return ['safe', 'dangerous'][reads++];
      },
    };
    const prepared = await checkedCall(setUp([create]), args, 'create_task');
    expect([prepared.call.args['title'], (prepared.argsForTool() as { title: string }).title, reads]).to.deep.equal(['safe', 'safe', 1]);
  });

  it('shows the input and hands the tool the output of a transform', async () => {
    const parameters = z.object({ day: z.string().transform((text) => new Date(text)), note: z.string().default('none') });
    const prepared = await checkedCall(setUp([tool({ parameters: parameters as never })]), { day: '2024-01-15' });
    expect(prepared.call.args).to.deep.equal({ day: '2024-01-15' });
    const [one, two] = [prepared.argsForTool(), prepared.argsForTool()] as { day: Date; note: string }[];
    expect(one).to.deep.equal({ day: new Date('2024-01-15'), note: 'none' });
    expect(one!.day).not.to.equal(two!.day);
  });

  it('converts by the look of a text where the page wants it so, and checks the declared reading (S0-51)', async () => {
    const pattern = setUp([create], { coercion: 'pattern' });
    expect((await checkedCall(pattern, { title: '2024', done: 'true' }, 'create_task')).argsForTool()).to.deep.equal({
      title: 2024,
      done: true,
    });
    expect(refused(await prepareCall(request({ title: 'x', done: 'no' }), pattern))).to.include({ code: 'INVALID_PARAMETER' });
    expect((await checkedCall(setUp([create]), { title: '2024' }, 'create_task')).argsForTool()).to.deep.equal({ title: '2024' });
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
    const fail = () => {
      throw new Error('no');
    };
    let aborted = false;
    const never = (_: unknown, { signal }: { signal: AbortSignal }) =>
      new Promise<never>(() => signal.addEventListener('abort', () => (aborted = true)));
    const setup = setUp(
      [
        tool({ name: 'a', describeCall: fail, preview: fail }),
        tool({ name: 'b', describeCall: never }),
        tool({ name: 'c', describeCall: () => 5 as never }),
      ],
      { limit: 5 },
    );
    for (const name of ['a', 'b', 'c']) expect((await checkedCall(setup, {}, name)).call).not.to.have.any.keys('sentence', 'preview');
    expect(aborted).to.equal(true);
    expect(setup.entries.filter(({ code }) => code === 'tool.describe')).to.have.length(3);
  });

  it('ends the describing at stop', async () => {
    const stop = new AbortController();
    const describeCall = () => {
      stop.abort();
      return new Promise<never>(() => undefined);
    };
    expect((await checkedCall(setUp([tool({ describeCall })], { stop: stop.signal }))).call).not.to.have.property('sentence');
    expect(refused(await prepareCall(request({}, 'echo'), setUp([tool()], { stop: stop.signal })))).to.include({
      code: 'CANCELLED',
      message: 'Not executed',
    });
  });

  it('fails closed where the schema itself throws or never answers', async () => {
    const schema = (validate: () => unknown) => ({
      '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) } },
    });
    const throwing = schema(() => {
      throw new Error('schema broke');
    });
    const silent = schema(() => new Promise(() => undefined));
    const setup = setUp([tool({ name: 'a', parameters: throwing as never }), tool({ name: 'b', parameters: silent as never })], {
      limit: 5,
    });
    expect(refused(await prepareCall(request({}, 'a'), setup))).to.include({ code: 'EXECUTION_FAILED', message: 'schema broke' });
    expect(refused(await prepareCall(request({}, 'b'), setup))).to.include({ code: 'TIMEOUT' });
  });

  it('knows when its tool is gone or replaced (faults 58)', async () => {
    const setup = setUp();
    const unregister = setup.registry.register(tool());
    const prepared = await checkedCall(setup);
    expect(prepared.isCurrent()).to.equal(true);
    unregister();
    expect(prepared.isCurrent()).to.equal(false);
    setup.registry.register(tool());
    expect(prepared.isCurrent()).to.equal(false);
  });

  it('keeps sensitive values out of the log', async () => {
    const setup = setUp([tool({ sensitive: ['pin'], parameters: { properties: { pin: { type: 'integer' }, to: { type: 'string' } } } })]);
    await prepareCall(request({ pin: '1234', to: 'Bob' }, 'echo'), setup);
    await prepareCall(request({ pin: '5678', wrong: 'x' }, 'echo'), setup);
    const text = JSON.stringify(setup.entries);
    expect(text)
      .to.contain('Bob')
      .and.not.to.match(/1234|5678/);
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

  it('lets the page go on between its steps, and ends as in one go', async () => {
    const a = Array.from({ length: 90_000 }, (_, at) => String(at));
    const setup = setUp([many]);
    await prepareCall(request({ a: ['1'] }, 'many'), setup);
    const measure = async () => {
      let [longest, last] = [0, process.cpuUsage()];
      const start = last;
      const spent = (from: NodeJS.CpuUsage) => Object.values(process.cpuUsage(from)).reduce((sum, one) => sum + one, 0) / 1000;
      let isOver = false;
      const look = () => {
        longest = Math.max(longest, spent(last));
        last = process.cpuUsage();
        if (!isOver) setImmediate(look);
      };
      setImmediate(look);
      const prepared = await prepareCall(request({ a }, 'many'), setup);
      isOver = true;
      look();
      return { prepared, share: longest / spent(start) };
    };
    const { prepared, share } = await measure();
    let least = share;
    for (let run = 0; run < 5 && least > 0.7; run += 1) least = Math.min(least, (await measure()).share);
    expect(least).to.be.at.most(0.7);
    if (prepared.type !== 'checked') throw new Error(prepared.result.result);
    expect(prepared.call.digest).to.equal(await digestCall('many', { a: a.map(Number) }));
  });
});
