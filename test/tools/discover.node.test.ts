import { expect } from 'chai';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { describeTools } from '../../src/tools/describe-tools.js';
import { discoverTools, type DiscoverableMethod } from '../../src/tools/discover.js';
import { executeTool } from '../../src/tools/execute.js';
import { prepareCall, type CheckedCall } from '../../src/tools/prepare.js';
import { createRegistry } from '../../src/tools/registry.js';
import { protocolWarnings } from '../../src/tools/warnings.js';
import { checkedCall, setUp, tool, type Setup } from './helpers.js';
import { hostile } from './hostile.js';
import nestedParameters from '../fixtures/tools/nested-parameters.json' with { type: 'json' };

/** A class, as in seed 002: metadata beside methods that use `this`. */
class Files {
  #files = new Map([['a.txt', 'A']]);
  readonly seen: unknown[][] = [];

  getMetadata() {
    const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
    const description = 'Reads a file.';
    const read = { name: 'read_all', displayName: 'Read a file', description, parameters, example: { path: 'a.txt' } };
    return {
      id: 'my_files',
      name: 'Files',
      methods: [
        { ...read, agentCallable: true, risk: 'query' as const, protocolConfig: { vcpCommand: '读取' } },
        { name: 'remove', description: 'Removes a file.', parameters, agentCallable: true, risk: 'danger' as const },
        { name: 'copy', description: 'Copies a file.', agentCallable: true },
        { name: 'format', description: 'Not offered.', agentCallable: false },
        { name: 'internal', description: 'Not said.' },
        { name: 'truthy', description: 'Not true.', agentCallable: 1 as never },
      ],
    };
  }
  read_all(...args: unknown[]) {
    this.seen.push(args);
    return this.#files.get((args[0] as { path: string }).path);
  }
  remove({ path }: { path: string }) {
    return this.#files.delete(path);
  }
  copy(from: string, to: string) {
    return this.#files.set(to, this.#files.get(from) ?? '');
  }
}

const method = (more: Partial<DiscoverableMethod> = {}) => ({ name: 'read', description: 'Reads.', agentCallable: true, ...more });
const source = (id: string, ...methods: DiscoverableMethod[]) => ({
  getMetadata: () => ({ id, methods }),
  ...Object.fromEntries(methods.map(({ name }) => [name, () => `${id}.${name}`])),
});

const execute = (prepared: CheckedCall, { texts, log }: Setup) => executeTool({ prepared, sessionId: 's', texts, log });

describe('discovery', () => {
  it('takes only what a method itself offers (S2-23)', () => {
    expect(discoverTools(new Files()).map(({ name }) => name)).to.deep.equal(['my_files_read_all', 'my_files_remove', 'my_files_copy']);
  });

  it('calls the method on its object, with one object of named arguments (S2-57)', async () => {
    const files = new Files();
    const setup = setUp(discoverTools(files));
    const prepared = await checkedCall(setup, { path: 'a.txt' }, 'my_files_read_all');
    expect(await execute(prepared, setup)).to.include({ success: true, message: 'A' });
    expect(files.seen).to.deep.equal([[{ path: 'a.txt' }]]);
  });

  it('answers to a method that takes its arguments one by one with the advice to write a facade (S2-58)', async () => {
    const setup = setUp();
    setup.registry.registerAll(discoverTools(new Files(), { log: setup.log, texts: () => zhCN }));
    expect(setup.entries.map(({ code }) => code)).to.deep.equal(['tools.positional']);
    const result = await execute(await checkedCall(setup, {}, 'my_files_copy'), setup);
    expect(result).to.include({ status: 'error', code: 'EXECUTION_FAILED', errorType: 'invalid_format' });
    expect(result.result).to.match(/“copy”.*门面方法/);
  });

  it('teaches and runs the name that the metadata give for a protocol (S2-24)', async () => {
    const setup = setUp(discoverTools(new Files()), { protocolId: 'vcp' });
    const [described] = describeTools(setup.registry.list(), 'vcp');
    expect(described!.methods[0]).to.deep.include({ name: '读取', protocolConfig: { vcpCommand: '读取' } });
    expect((await checkedCall(setup, { path: 'a.txt' }, '读取')).tool.name).to.equal('my_files_read_all');
  });

  it('goes through the filters in the order of the seed (S2-43)', () => {
    const { entries, log } = setUp();
    const objects = [
      { read: () => 1 },
      source('off', method({ agentCallable: false })),
      source('toggled', method(), method({ name: 'write' })),
      source('byObject', method(), method({ name: 'write' })),
      source('silent', method()),
    ];
    const names = (options: Parameters<typeof discoverTools>[1]) => discoverTools(objects, options).map(({ name }) => name);
    const toolToggles = { toggled_write: false, byObject: false, byObject_write: true };
    expect(names({ log, toolToggles })).to.deep.equal(['toggled_read', 'byObject_write', 'silent_read']);
    expect(names({ log, toolToggles, defaultToolEnabled: false })).to.deep.equal(['byObject_write']);
    expect(entries.map(({ code, level }) => [code, level])).to.deep.equal(Array(2).fill(['tools.dropped', 'warn']));
  });

  it('takes definitions as they are, alone and in a list with objects, all or none', async () => {
    const setup = setUp();
    setup.registry.registerAll(discoverTools([tool(), new Files(), tool({ name: 'other' })], { log: setup.log }));
    expect(setup.registry.names()).to.include.members(['echo', 'my_files_copy', 'other']);
    expect(setup.entries.map(({ code }) => code)).to.deep.equal(['tools.positional']);
    expect(await execute(await checkedCall(setup, { a: 1 }), setup)).to.include({ success: true });
    expect(() => setup.registry.registerAll(discoverTools([tool({ name: 'new' }), { execute: () => 1 }]))).to.throw('cannot name a tool');
    expect(setup.registry.has('new')).to.equal(false);
  });

  it('drops whatever is no object with metadata', () => {
    const objects = [undefined, null, 5, 'files', {}, [], [null], { getMetadata: true }, hostile['a hostile proxy']!()];
    for (const nothing of objects) expect(discoverTools(nothing), typeof nothing).to.deep.equal([]);
  });

  const broken: [string, unknown, RegExp][] = [
    ['throw', { getMetadata: () => JSON.parse('{') as unknown }, /it throws/],
    ['are missing', { getMetadata: () => undefined }, /`id` is a text/],
    ['are a promise', { getMetadata: () => Promise.resolve({ id: 'a', methods: [] }) }, /`id` is a text/],
    ['have no list of methods', { getMetadata: () => ({ id: 'a', methods: {} }) }, /`methods` a list/],
    ['list what is no method', { getMetadata: () => ({ id: 'a', methods: ['read'] }) }, /each method of "a"/],
    ['name no function', { getMetadata: () => ({ id: 'a', methods: [method()] }) }, /"a" has no function "read"/],
  ];
  for (const [title, object, message] of broken) {
    it(`refuses metadata that ${title}, and says what to do`, () => {
      expect(() => discoverTools(object)).to.throw(TypeError, message);
      expect(() => discoverTools(object)).to.throw(/Let it answer \{ id/);
    });
  }

  it('reads metadata once, so that what was offered is what is called', async () => {
    const object: Record<string, unknown> = { ...source('a', method()), read: () => 'first' };
    const setup = setUp(discoverTools(object));
    object['read'] = () => 'second';
    expect((await execute(await checkedCall(setup, {}, 'a_read'), setup)).message).to.equal('first');
  });
});

describe('names of discovered tools (S2-56)', () => {
  const setup = () =>
    setUp([
      ...discoverTools([source('my_files', method({ name: 'read_all' }), method()), source('mail', method(), method({ name: 'send' }))]),
      tool({ name: 'send_all' }),
    ]);

  it('are found whole, and bare where only one tool has the method', () => {
    const { registry } = setup();
    const found = (name: string) => registry.get(name)?.name;
    const whole = { my_files_read_all: 'my_files_read_all', mail_read: 'mail_read', send_all: 'send_all' };
    for (const [name, tool_] of Object.entries({ ...whole, read_all: 'my_files_read_all', send: 'mail_send' }))
      expect(found(name)).to.equal(tool_);
    for (const name of ['read', 'files_read_all', 'all', 'my_files', 'toString', 'Send']) expect(found(name), name).to.equal(undefined);
  });

  it('are listed where a bare one could be several', async () => {
    const all = setup();
    const prepared = await prepareCall({ requestId: 'c', toolName: 'read', args: {} }, all);
    expect(prepared.type === 'refused' && prepared.result).to.include({
      code: 'TOOL_NOT_FOUND',
      result: 'TOOL_NOT_FOUND: Several tools have a method “read”. Use the whole name: my_files_read, mail_read',
    });
    expect(all.registry.ambiguous('read').map(({ name }) => name)).to.deep.equal(['my_files_read', 'mail_read']);
    for (const name of ['send', 'nothing']) expect(all.registry.ambiguous(name)).to.deep.equal([]);
  });
});

describe('tools that are switched off (S2-15, S2-16)', () => {
  it('are neither listed nor run', async () => {
    const setup = setUp([tool(), tool({ name: 'other' })], { toolToggles: { echo: false } });
    expect(setup.registry.list(setup).map(({ name }) => name)).to.deep.equal(['other']);
    const call = (toolName: string, deps = setup) => prepareCall({ requestId: 'c', toolName, args: {} }, deps);
    const refused = await call('echo');
    expect(refused.type === 'refused' && refused.result).to.include({ code: 'TOOL_NOT_FOUND' });
    const unknown = await call('coffee');
    expect(unknown.type === 'refused' && unknown.result.result)
      .to.contain('other')
      .and.not.to.contain('echo');
    expect((await call('other')).type).to.equal('checked');
    expect((await call('other', { ...setup, defaultToolEnabled: false })).type).to.equal('refused');
  });

  it('are not decided by what a plain object inherits', () => {
    const registry = createRegistry();
    registry.register(tool({ name: 'valueOf2' }));
    expect(registry.list({ toolToggles: Object.create({ valueOf2: false }) as Record<string, boolean> })).to.have.length(1);
    expect(registry.list({ toolToggles: { valueOf2: 'no' as never } })).to.have.length(1);
  });
});

describe('warnings for a protocol', () => {
  const nested = tool({ name: 'book', parameters: nestedParameters });

  it('name a tool whose parameters are nested where all values are texts (S2-25)', () => {
    for (const protocol of ['vcp', 'xml-invoke']) {
      const warnings = protocolWarnings(nested, protocol);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.include('Tool "book" has nested parameters (place, rows, grid)').and.contain(protocol);
    }
    expect(protocolWarnings(nested, 'json-action')).to.deep.equal([]);
    for (const protocol of ['vcp', 'xml-invoke', 'native']) expect(protocolWarnings(tool(), protocol)).to.deep.equal([]);
  });
});
