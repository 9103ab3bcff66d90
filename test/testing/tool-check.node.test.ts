/** The check that a host runs over its own tools: it finds what was planted, and says nothing of what is sound. */
import { expect } from 'chai';
import { z } from 'zod';
import { checkTools, type ToolReport } from '../../src/testing/index.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { ToolError } from '../../src/base/errors.js';
import type { ToolDefinition } from '../../src/tools/tool.js';

type Tool = ToolDefinition<never>;

const object = (properties: Record<string, unknown>, required: string[] = Object.keys(properties)): JsonSchema => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const text = { type: 'string' };
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the tools work on. */
let db: { tasks: Record<string, string>; draft?: string; seen?: number };
const reset = () => void (db = { tasks: { a1: 'Buy milk', a2: 'Call Ann' } });
const state = () => db;
const check = (tools: unknown[], more = {}) => checkTools(tools as Tool[], { run: 'all', state, reset, timeout: 120, seed: 7, ...more });

const id = object({ id: text });
const titled = object({ id: text, title: text });
const examples = [{ id: 'a1' }];
const retitle = {
  name: 'retitle',
  description: 'Gives a task another title.',
  parameters: titled,
  risk: 'write',
  examples: [{ id: 'a1', title: 'Tea' }],
};
const look = { name: 'look', description: 'Reads a task.', parameters: id, risk: 'query', examples };
const write = ({ id, title }: { id: string; title: string }) => {
  if (!Object.hasOwn(db.tasks, id)) throw new ToolError(`There is no task ${id}`);
  const before = db.tasks[id];
  db.tasks[id] = title;
  return { success: true, message: 'Retitled', data: { id, before } };
};
const read = ({ id }: { id: string }) =>
  Object.hasOwn(db.tasks, id) ? { id, title: db.tasks[id] } : { success: false, message: `There is no task ${id}` };

type Titled = { id: string; title: string };
const shows = ({ id, title }: Titled) => ({ changes: [{ label: 'Title', path: id, before: db.tasks[id], after: title }] });
const simulated = (simulate: (args: Titled) => unknown, more = {}) => ({ ...retitle, execute: write, simulate, ...more });
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
let asked = 0;

const simulations: [fault: string, tool: Record<string, unknown>][] = [
  [
    'simulate',
    simulated(() => {
      throw new Error('not ready');
    }),
  ],
  ['simulate', simulated(() => new Promise(() => undefined))],
  ['simulate', simulated(() => undefined)],
  ['simulate', simulated(() => ({ changes: { label: 'Title' } }))],
  ['simulate', simulated(() => ({ changes: [null] }))],
  ['simulate', simulated((args) => ({ changes: Array.from({ length: 101 }, () => shows(args).changes[0]) }))],
  ['simulate', simulated(() => ({ result: 'x'.repeat(40_000) }))],
  ['simulate', simulated(() => ({ result: cycle }))],
  ['simulate', simulated(() => ({ changes: [{ label: 'Title', after: new Map() }] }))],
  ['simulate-acts', simulated((args) => (write({ ...args, id: 'a1' }), shows(args)))],
  ['simulate-acts', simulated((args) => (void Promise.resolve().then(() => write({ ...args, id: 'a1' })), shows(args)))],
  ['simulate-acts', simulated((args) => (void fetch('data:,asked'), shows(args)))],
  ['simulate-unsteady', simulated((args) => ({ ...shows(args), result: { asked: (asked += 1) } }))],
  ['simulate-lies', simulated((args) => shows({ ...args, title: `${args.title}!` }))],
  ['simulate-lies', simulated(() => ({ changes: [] }))],
  ['simulate-lies', simulated(({ id }) => ({ result: { id, before: 'Another' } }))],
  ['simulate-lies', simulated(() => ({ result: 'Renamed' }))],
  ['simulate-lies', simulated(shows, { execute: () => 'Done' })],
];

const planted: [fault: string, tool: Record<string, unknown>][] = [
  ['definition', { ...look, name: 'look it up' }],
  ['definition', { ...look, name: 'list', parameters: { type: 'array' } }],
  ['description', { ...look, description: ' x ', execute: read }],
  ['required', { ...look, parameters: object({ id: text }, ['id', 'scope']), examples: [], execute: read }],
  ['example', { ...look, examples: [{ identifier: 'a1' }], execute: read }],
  ['fallback', { ...look, fallback: 'nobody', execute: read }],
  ['sensitive', { ...look, sensitive: ['pasword'], execute: read }],
  [
    'crash',
    {
      ...look,
      parameters: object({ id: text, tags: { type: 'array', items: text } }, ['id']),
      execute: (args: { id: string; tags: string[] }) => ({ ...read(args), tags: args.tags.join() }),
    },
  ],
  ['unknown', { ...look, execute: (args: { id: string; taskId?: string }) => read({ id: args.taskId ?? args.id }) }],
  ['unread', { ...look, parameters: titled, examples: [{ id: 'a1', title: 'x' }], execute: read }],
  ['endless', { ...look, execute: () => new Promise(() => undefined) }],
  [
    'signal',
    {
      ...retitle,
      async execute(args: { id: string; title: string }) {
        await sleep(60); // the fault: it is stopped meanwhile
        return write(args);
      },
    },
  ],
  [
    'no-error',
    {
      ...look,
      execute: () => {
        throw 'no';
      },
    },
  ],
  ['huge', { ...look, execute: () => ({ text: 'x'.repeat(40_000) }) }],
  [
    'cyclic',
    {
      ...look,
      execute() {
        const node: Record<string, unknown> = { id: 'a1' };
        return (node['self'] = node);
      },
    },
  ],
  ['no-data', { ...look, execute: () => new Map([['a1', 'Buy milk']]) }],
  ['error-as-data', { ...look, execute: () => ({ error: 'No such task' }) }],
  ['success', { ...look, execute: () => ({ success: 'false', message: 'No' }) }],
  ['query', { ...look, execute: (args: { id: string }) => ((db.seen = (db.seen ?? 0) + 1), read(args)) }],
  [
    'idempotent',
    {
      ...retitle,
      idempotent: true,
      execute: (args: { id: string; title: string }) => write({ ...args, title: `${db.tasks[args.id] ?? ''}!` + args.title }),
    },
  ],
  ['example-fails', { ...look, examples: [{ id: 'a9' }, { id: 'a1' }], execute: read }],
  [
    'prototype',
    {
      ...retitle,
      parameters: object({ id: text, title: text, field: text }),
      examples: [{ id: 'a1', field: 'x', title: 'y' }],
      execute({ id, field, title }: Record<string, string>) {
        const all = db.tasks as unknown as Record<string, Record<string, string>>;
        all[id!] ??= {};
        if (typeof all[id!] === 'object') all[id!]![`${field!}!`] = title!;
        return 'Done';
      },
    },
  ],
  [
    'progress',
    {
      ...look,
      execute(args: { id: string }, { progress }: { progress(said: object): void }) {
        progress({ fraction: 40 });
        return read(args);
      },
    },
  ],
  [
    'late',
    {
      ...look,
      execute(args: { id: string }, { progress }: { progress(said: object): void }) {
        void Promise.resolve().then(() => setTimeout(() => progress({ fraction: 1 })));
        return read(args);
      },
    },
  ],
  ['describe', { ...look, execute: read, describeCall: () => undefined }],
  [
    'preview',
    { ...retitle, execute: write, preview: (args: { id: string; title: string }) => (write({ ...args, id: 'a1' }), [{ label: 'Title' }]) },
  ],
  ['preview', { ...retitle, execute: write, preview: () => ({ before: 'a', after: 'b' }) }],
  ...simulations,
  ['draft', { ...retitle, execute: write, onArguments: ({ title }: { title?: string }) => void (db.draft = title ?? '') }],
  ['verify', { ...retitle, execute: write, verify: () => Promise.resolve('done') }],
  ['undo', { ...retitle, execute: write, undo: () => Promise.resolve(void (db.tasks['a1'] = '')) }],
  ['secret', { ...retitle, sensitive: ['title'], execute: write, describeCall: ({ title }: { title: string }) => `Call it ${title}` }],
];

const sound: Record<string, unknown>[] = [
  { ...look, execute: read },
  { ...look, name: 'count', parameters: undefined, examples: undefined, execute: () => Object.keys(db.tasks).length },
  { ...look, name: 'nothing', parameters: object({}), examples: [], execute: () => undefined },
  { ...look, name: 'empty', parameters: object({}), examples: [], execute: () => [] },
  {
    ...look,
    name: 'refuses',
    examples: [],
    execute() {
      throw new ToolError('Not today', { code: 'API_ERROR' } as never);
    },
  },
  { ...look, name: 'spreads', execute: (args: object) => ({ ...args }) },
  { ...look, name: 'copies', execute: (args: object) => JSON.parse(JSON.stringify(structuredClone({ ...args }))) as unknown },
  { ...look, name: 'dates', parameters: object({}), examples: [], execute: () => ({ at: new Date(0), error: null }) },
  {
    ...look,
    name: 'open',
    parameters: { type: 'object' },
    examples: [{}],
    execute: ({ anything }: Record<string, unknown>) => ({ anything: anything ?? 'no' }),
  },
  { ...retitle, execute: write },
  { ...retitle, name: 'retitle_twice', idempotent: true, execute: write },
  {
    ...retitle,
    name: 'undoable',
    execute: write,
    undo: ({ data }: { data: { id: string; before: string } }) => Promise.resolve(void (db.tasks[data.id] = data.before)),
  },
  {
    ...retitle,
    name: 'shown',
    execute: write,
    preview: ({ id, title }: { id: string; title: string }) => [{ label: 'Title', before: db.tasks[id], after: title }],
    describeCall: ({ title }: { title: string }) => `Call it “${title}”`,
  },
  {
    ...retitle,
    name: 'drafted',
    execute: write,
    onArguments({ title = '' }: { title?: string }) {
      db.draft = title;
      return () => void delete db.draft;
    },
  },
  {
    ...retitle,
    name: 'verified',
    execute: write,
    verify: ({ id, title }: { id: string; title: string }) => Promise.resolve(db.tasks[id] === title ? 'done' : 'not-done'),
  },
  {
    ...retitle,
    name: 'secret',
    sensitive: ['title'],
    execute: (args: { id: string; title: string }) => (write(args), 'Retitled'),
    describeCall: ({ id }: { id: string }) => `Another title for ${id}`,
  },
  {
    ...retitle,
    name: 'slow',
    async execute(args: { id: string; title: string }, { signal, progress }: { signal: AbortSignal; progress(said: object): void }) {
      for (const fraction of [0, 0.5, 1]) {
        progress({ fraction });
        await sleep(15); // long enough to be stopped in between
        signal.throwIfAborted();
      }
      return write(args);
    },
  },
  {
    ...look,
    name: 'zod',
    parameters: z.object({ id: z.string(), limit: z.number().int().min(1).max(50).default(10) }),
    execute: ({ id, limit }: { id: string; limit: number }) => ({ ...read({ id }), limit: limit.toFixed() }),
  },
  {
    ...look,
    name: 'choices',
    parameters: object(
      {
        kind: { enum: ['open', 'done'] },
        since: { type: 'string', format: 'date' },
        most: { type: 'integer', minimum: 1, maximum: 5 },
        tags: { type: 'array', items: text, maxItems: 3 },
      },
      ['kind'],
    ),
    examples: [{ kind: 'open' }],
    execute: ({ kind, since, most = 5, tags = [] }: { kind: string; since?: string; most?: number; tags?: string[] }) => ({
      kind: kind.toUpperCase(),
      year: since ? new Date(since).getFullYear() : 0,
      list: Array.from({ length: most }),
      tags: tags.join(),
    }),
  },
  { ...look, name: 'whole', parameters: { anyOf: [{ type: 'object', properties: { id: text }, required: ['id'] }] }, execute: read },
];

sound.push(
  { ...simulated(shows), name: 'foreseen' },
  { ...simulated((args) => Promise.resolve({ ...shows(args), result: { id: args.id } })), name: 'foreseen_in_part' },
  { ...simulated(() => ({ result: 'Retitled' })), name: 'foreseen_in_words' },
  {
    ...simulated(({ id }) => ({ result: { id, key: 'a new one' } }), {
      execute: (args: Titled) => ({ ...write(args).data, key: `k${String((asked += 1))}` }),
    }),
    name: 'foreseen_but_for_a_key',
  },
  { ...look, name: 'foreseen_reading', execute: read, simulate: ({ id }: Titled) => ({ changes: [], result: read({ id }) }) },
);

const faults = ({ findings }: ToolReport) => [...new Set(findings.map(({ fault }) => fault))];

describe('the check of a page’s own tools', () => {
  for (const [at, [fault, tool]] of planted.entries())
    it(`finds in ${String(at + 1)}: ${fault}`, async () => {
      const report = await check([tool]);
      expect(faults(report), report.text).to.include(fault);
      const { message } = report.findings.find((one) => one.fault === fault)!;
      expect(message)
        .to.match(/^\S.*[.!?:\w"”]$/s)
        .and.include(' ');
    });

  it('finds at least thirty kinds of faults', () => {
    expect(new Set(planted.map(([fault]) => fault)).size).to.be.at.least(30);
  });

  for (const tool of sound)
    it(`says nothing of a sound tool: ${String(tool['name'])}`, async () => {
      for (const seed of [1, 2, 3]) {
        const report = await check([tool], { seed });
        expect(report.findings, report.text).to.deep.equal([]);
      }
    });

  it('says in words what a simulation does, each in its own', async () => {
    const messages = await Promise.all(
      simulations.map(async ([, tool]) => (await check([tool])).findings.map(({ message }) => message).join('\n')),
    );
    expect(new Set(messages).size, messages.join('\n')).to.be.at.least(simulations.length - 3);
    expect(messages.join('\n')).to.include('sends a request in `simulate`').and.include('does not answer').and.include('a cycle');
  });

  it('leaves `fetch` as it was', async () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
    await check([simulated(shows)]);
    expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).to.deep.equal(before);
  });

  it('runs only what says that it changes nothing, unless it is told to', async () => {
    let ran = 0;
    const tools = [
      { ...look, execute: read },
      { ...retitle, execute: () => void (ran += 1) },
    ];
    const report = await check(tools, { run: undefined });
    expect(ran).to.equal(0);
    expect(report.notes.map(({ tool }) => tool)).to.deep.equal(['retitle']);
    expect((await check(tools, { run: 'none' })).tries).to.equal(0);
  });

  it('says what it found in lines, with what it was called with, and the same again with the same seed', async () => {
    const tools = [planted.find(([fault]) => fault === 'crash')![1]];
    const [first, second] = [await check(tools), await check(tools)];
    expect(first.text).to.equal(second.text);
    expect(first.text).to.match(
      /^1 tool, \d+ runs \(seed 7\): 1 fault\.\n✗ look breaks on arguments that its schema allows .*\n {4}with \{"id"/,
    );
  });
});
