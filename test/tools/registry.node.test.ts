import { expect } from 'chai';
import * as fc from 'fast-check';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { withSource } from '../../src/tools/tool-source.js';
import { tool } from './helpers.js';

describe('the registry', () => {
  it('knows a tool until it is unregistered, counts each change, and leaves a successor alone', () => {
    const registry = createRegistry();
    const unregister = registry.register(tool());
    expect([registry.has('echo'), registry.version, registry.list().length]).to.deep.equal([true, 1, 1]);
    unregister();
    unregister();
    expect([registry.has('echo'), registry.get('echo'), registry.version]).to.deep.equal([false, undefined, 2]);
    registry.register(tool());
    unregister();
    expect(registry.has('echo')).to.equal(true);
  });

  it('keeps the verbs of a tool as they were, and takes none that could not stand on two buttons', () => {
    const registry = createRegistry();
    const verbs = { allow: ' Delete task ', deny: 'Keep it' };
    registry.register(tool({ verbs }));
    verbs.allow = 'Keep it';
    expect(registry.get('echo')?.verbs).to.deep.equal({ allow: 'Delete task', deny: 'Keep it' });
    expect(Object.isFrozen(registry.get('echo')?.verbs)).to.equal(true);
    const wrong = [
      ...['Delete', null, {}, { allow: 'Yes' }, { allow: 'Yes', deny: ' ' }, { allow: 'Same', deny: 'Same' }],
      { allow: 'x'.repeat(41), deny: 'No' },
    ];
    for (const bad of wrong) {
      const register = () => registry.register(tool({ name: 'other', verbs: bad as never }));
      expect(register, JSON.stringify(bad)).to.throw(TypeError, '`verbs` of tool "other"');
    }
  });

  it('calls tools of different sources differently, whatever their titles differ in that is not read, and whoever comes first', () => {
    const unread = fc.constantFrom('', ' ', '\u200B', '\u00A0', '-', '\u2060', '.', '\u202E');
    const hosts = ['a.example', 'b.example:8443', undefined];
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 30 }),
        unread,
        fc.boolean(),
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
        (label, sign, upper, order) => {
          fc.pre(/[a-z0-9]/i.test(label));
          const registry = createRegistry();
          const titles = [label, `${sign}${upper ? label.toUpperCase() : label}${sign}`, label];
          for (const at of order) {
            const host = hosts[at];
            registry.register(
              withSource(tool({ name: `tool_${String(at)}`, label: titles[at]! }), host ? { host, trusted: true } : undefined),
            );
          }
          const labels = [0, 1, 2].map((at) => registry.labelOf(registry.get(`tool_${String(at)}`)!));
          expect(labels).to.deep.equal([`a.example: ${titles[0]!}`, `b.example:8443: ${titles[1]!}`, titles[2]]);
        },
      ),
    );
    const registry = createRegistry();
    const foreign = tool({ name: 'send', label: 'Send' });
    registry.register(withSource(foreign, { host: 'a.example', trusted: false }));
    const label = () => registry.labelOf(registry.get('send')!);
    expect(label(), 'alone').to.equal('Send');
    const takeBack = registry.register(tool({ name: 'SEND', label: 'Post it' }));
    expect(label(), 'like a name').to.equal('a.example: Send');
    takeBack();
    registry.register(withSource(tool({ name: 'send_2', label: 'Send' }), { host: 'a.example', trusted: false }));
    expect(label(), 'like another of its own host').to.equal('Send');
  });

  it('finds nothing by inherited, foreign or similar names', () => {
    const registry = createRegistry();
    registry.register(tool({ aliases: { vcp: 'Echo' } }));
    const odd = [undefined, null, {}, ['echo'], ''];
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'ECHO', ' echo', 'echo ', 'есho', ...odd];
    for (const name of names) {
      expect(registry.get(name as string), String(name)).to.equal(undefined);
      expect(registry.get(name as string, 'constructor')).to.equal(undefined);
      expect(registry.has(name as string, '__proto__')).to.equal(false);
    }
  });

  it('refuses a name or alias that is taken, and stays as it was', () => {
    const registry = createRegistry();
    registry.register(tool({ aliases: { vcp: 'Find' } }));
    const again = [{}, { name: 'Find' }, { name: 'b', aliases: { vcp: 'Find' } }, { name: 'b', aliases: { vcp: 'echo' } }].map(tool);
    for (const each of again) expect(() => registry.register(each)).to.throw(Error, /is taken.*nregister/s);
    registry.register(tool({ name: 'b', aliases: { 'json-action': 'Find' } }));
    expect(registry.version).to.equal(2);
  });

  it('registers all tools of a list or none', () => {
    const registry = createRegistry();
    registry.register(tool({ name: 'taken' }));
    const all = (...names: string[]) => registry.registerAll(names.map((name) => tool({ name })));
    expect(() => all('a', 'b', 'taken')).to.throw(/is taken/);
    expect(() => all('a', 'a')).to.throw(/is taken/);
    expect(() => all('a', '1')).to.throw(TypeError);
    expect(registry.list().map(({ name }) => name)).to.deep.equal(['taken']);
    const unregister = all('a', 'b');
    expect(registry.list()).to.have.length(3);
    unregister();
    registry.register(tool({ name: 'a' }));
    unregister();
    expect(registry.list().map(({ name }) => name)).to.deep.equal(['taken', 'a']);
  });

  const wrong: [string, unknown, RegExp][] = [
    ['no object', undefined, /A tool is an object .*, got undefined/],
    ['a name with a blank', tool({ name: 'a b' }), /cannot name a tool. Use/],
    ['a name that is too long', tool({ name: 'a'.repeat(65) }), /up to 63/],
    ['a name that objects inherit', tool({ name: 'constructor' }), /cannot name a tool/],
    ['__proto__', tool({ name: '__proto__' }), /cannot name a tool/],
    ['no name', { description: 'x', execute: () => 1 }, /^undefined cannot name a tool/],
    ['an empty description', tool({ description: ' ' }), /needs a `description`/],
    ['no execute', { name: 'a', description: 'b' }, /needs `execute/],
    ['an execute that is no function', { name: 'a', description: 'b', execute: 1 }, /`execute` of tool "a" must be a function, got number/],
    ['an unknown risk', tool({ risk: 'high' as never }), /"query", "write" or "danger", got "high"/],
    ['an alias with a border', tool({ aliases: { vcp: 'a「b' } }), /cannot be an alias/],
    ['parameters that are no schema', tool({ parameters: 'string' as never }), /is a JSON Schema or a Standard Schema, got "string"/],
    ['parameters of a list', tool({ parameters: { type: 'array' } }), /Arguments are always an object.*Give `parameters`/s],
  ];
  for (const [title, definition, message] of wrong) {
    it(`refuses ${title} and says what to do`, () => {
      expect(() => createRegistry().register(definition as ToolDefinition)).to.throw(TypeError, message);
    });
  }

  it('keeps what was registered, whatever the host changes later, and keeps `this` of a class', () => {
    class Counter {
      name = 'count';
      description = 'Counts.';
      risk = 'danger' as const;
      origin = { id: 'files', name: 'Files', method: 'read' };
      #count = 0;
      execute() {
        return ++this.#count;
      }
    }
    const source = new Counter();
    const registry = createRegistry();
    registry.register(source);
    (source as { risk: string }).risk = 'query';
    source.origin.method = 'delete';
    expect([registry.has('read'), registry.has('delete')]).to.deep.equal([true, false]);
    const registered = registry.get('count')!;
    expect(registered.risk).to.equal('danger');
    expect(registered.execute({}, undefined as never)).to.equal(1);
    expect(() => ((registered as { risk: string }).risk = 'query')).to.throw(TypeError);
  });
});
