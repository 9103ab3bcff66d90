/** The check that a host runs over its own tools: it finds what was planted, and says nothing of what is sound. */
import { expect } from 'chai';
import { z } from 'zod';
import { checkTools, type ToolReport } from '../../src/testing/index.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { isFullEffort } from '../helpers/effort.js';
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
const tagged = object({ id: text, tags: { type: 'array', items: text } }, ['id']);
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
type Titled = { id: string; title: string };
type Told = { signal: AbortSignal; progress(said: object): void };
const write = ({ id, title }: Titled) => {
  if (!Object.hasOwn(db.tasks, id)) throw new ToolError(`There is no task ${id}`);
  const before = db.tasks[id];
  db.tasks[id] = title;
  return { success: true, message: 'Retitled', data: { id, before } };
};
const read = ({ id }: { id: string }) =>
  Object.hasOwn(db.tasks, id) ? { id, title: db.tasks[id] } : { success: false, message: `There is no task ${id}` };

const shows = ({ id, title }: Titled) => ({ changes: [{ label: 'Title', path: id, before: db.tasks[id], after: title }] });
const simulated = (simulate: (args: Titled) => unknown, more = {}) => ({ ...retitle, execute: write, simulate, ...more });
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;
let asked = 0;

type Planted = [fault: string, tool: Record<string, unknown>];
const looks = (execute: (args: never, context: never) => unknown, more = {}) => ({ ...look, execute, ...more });
const writes = (more: Record<string, unknown>) => ({ ...retitle, execute: write, ...more });
const failing = (error: unknown) => () => {
  throw error;
};
const rest = { parameters: object({}), examples: [] };

const planted: Planted[] = [
  ['definition', { ...look, name: 'look it up' }],
  ['definition', { ...look, name: 'list', parameters: { type: 'array' } }],
  ['description', looks(read, { description: ' x ' })],
  ['required', looks(read, { parameters: object({ id: text }, ['id', 'scope']), examples: [] })],
  ['example', looks(read, { examples: [{ identifier: 'a1' }] })],
  ['fallback', looks(read, { fallback: 'nobody' })],
  ['sensitive', looks(read, { sensitive: ['pasword'] })],
  ['crash', looks((args: { id: string; tags: string[] }) => ({ ...read(args), tags: args.tags.join() }), { parameters: tagged })],
  ['unknown', looks((args: { id: string; taskId?: string }) => read({ id: args.taskId ?? args.id }))],
  ['unread', looks(read, { parameters: titled, examples: [{ id: 'a1', title: 'x' }] })],
  ['endless', looks(() => new Promise(() => undefined))],
  // It is stopped while it sleeps, and writes nevertheless.
  ['signal', writes({ execute: (args: Titled) => sleep(60).then(() => write(args)) })],
  ['no-error', looks(failing('no'))],
  ['huge', looks(() => ({ text: 'x'.repeat(40_000) }))],
  ['cyclic', looks(() => cycle)],
  ['no-data', looks(() => new Map([['a1', 'Buy milk']]))],
  ['error-as-data', looks(() => ({ error: 'No such task' }))],
  ['success', looks(() => ({ success: 'false', message: 'No' }))],
  ['query', looks((args: { id: string }) => ((db.seen = (db.seen ?? 0) + 1), read(args)))],
  ['idempotent', writes({ idempotent: true, execute: (args: Titled) => write({ ...args, title: `${db.tasks[args.id] ?? ''}!` }) })],
  ['example-fails', looks(read, { examples: [{ id: 'a9' }, { id: 'a1' }] })],
  [
    'prototype',
    writes({
      parameters: object({ id: text, title: text, field: text }),
      examples: [{ id: 'a1', field: 'x', title: 'y' }],
      execute({ id, field, title }: Record<string, string>) {
        const all = db.tasks as unknown as Record<string, Record<string, string>>;
        all[id!] ??= {};
        if (typeof all[id!] === 'object') all[id!]![`${field!}!`] = title!;
        return 'Done';
      },
    }),
  ],
  ['progress', looks((args: { id: string }, { progress }: Told) => (progress({ fraction: 40 }), read(args)))],
  [
    'late',
    looks((args: { id: string }, { progress }: Told) => (queueMicrotask(() => setTimeout(() => progress({ fraction: 1 }))), read(args))),
  ],
  ['describe', looks(read, { describeCall: () => undefined })],
  ['preview', writes({ preview: (args: Titled) => (write({ ...args, id: 'a1' }), [{ label: 'Title' }]) })],
  ['simulate', simulated(failing(new Error('not ready')))],
  ['simulate', simulated(() => new Promise(() => undefined))],
  ['simulate', simulated(() => ({ changes: { label: 'Title' } }))],
  ['simulate', simulated((args) => ({ changes: Array.from({ length: 101 }, () => shows(args).changes[0]) }))],
  ['simulate', simulated(() => ({ result: cycle }))],
  ['simulate-acts', simulated((args) => (write({ ...args, id: 'a1' }), shows(args)))],
  ['simulate-acts', simulated((args) => (void fetch('data:,asked'), shows(args)))],
  ['simulate-unsteady', simulated((args) => ({ ...shows(args), result: { asked: (asked += 1) } }))],
  ['simulate-lies', simulated((args) => shows({ ...args, title: `${args.title}!` }))],
  ['simulate-lies', simulated(({ id }) => ({ result: { id, before: 'Another' } }))],
  ['simulate-lies', simulated(shows, { execute: () => 'Done' })],
  ['draft', writes({ onArguments: ({ title }: { title?: string }) => void (db.draft = title ?? '') })],
  ['verify', writes({ verify: () => Promise.resolve('done') })],
  ['undo', writes({ undo: () => Promise.resolve(void (db.tasks['a1'] = '')) })],
  ['secret', writes({ sensitive: ['title'], describeCall: ({ title }: Titled) => `Call it ${title}` })],
];

const choices = {
  kind: { enum: ['open', 'done'] },
  since: { type: 'string', format: 'date' },
  most: { type: 'integer', minimum: 1, maximum: 5 },
  tags: { type: 'array', items: text, maxItems: 3 },
};
const sound: Record<string, Record<string, unknown>> = {
  look: looks(read),
  nothing: looks(() => undefined, rest),
  refuses: looks(failing(new ToolError('Not today', { code: 'API_ERROR' } as never)), { examples: [] }),
  open: looks(({ any }: Record<string, unknown>) => ({ any: any ?? 'no' }), { parameters: { type: 'object' }, examples: [{}] }),
  retitle: writes({}),
  retitle_twice: writes({ idempotent: true }),
  undoable: writes({ undo: async ({ data }: { data: { id: string; before: string } }) => void (db.tasks[data.id] = data.before) }),
  shown: writes({
    preview: ({ id, title }: Titled) => [{ label: 'Title', before: db.tasks[id], after: title }],
    describeCall: ({ title }: Titled) => `Call it “${title}”`,
  }),
  drafted: writes({
    onArguments({ title = '' }: { title?: string }) {
      db.draft = title;
      return () => void delete db.draft;
    },
  }),
  verified: writes({ verify: ({ id, title }: Titled) => Promise.resolve(db.tasks[id] === title ? 'done' : 'not-done') }),
  secret: writes({
    sensitive: ['title'],
    execute: (args: Titled) => (write(args), 'Retitled'),
    describeCall: ({ id }: Titled) => `Another for ${id}`,
  }),
  slow: writes({
    async execute(args: Titled, { signal, progress }: Told) {
      for (const fraction of [0, 0.5, 1]) {
        progress({ fraction });
        await sleep(15); // long enough to be stopped in between
        signal.throwIfAborted();
      }
      return write(args);
    },
  }),
  zod: looks(({ id, limit }: { id: string; limit: number }) => ({ ...read({ id }), limit: limit.toFixed() }), {
    parameters: z.object({ id: z.string(), limit: z.number().int().min(1).max(50).default(10) }),
  }),
  choices: looks(
    ({ kind, since, most = 5, tags = [] }: { kind: string; since?: string; most?: number; tags?: string[] }) => [
      kind.toUpperCase(),
      since ? new Date(since).getFullYear() : 0,
      Array.from({ length: most }).length,
      tags.join(),
    ],
    { parameters: object(choices, ['kind']), examples: [{ kind: 'open' }] },
  ),
  whole: looks(read, { parameters: { anyOf: [{ type: 'object', properties: { id: text }, required: ['id'] }] } }),
  foreseen: simulated(shows),
  foreseen_in_part: simulated((args) => Promise.resolve({ ...shows(args), result: { id: args.id } })),
  foreseen_but_for_a_key: simulated(({ id }) => ({ result: { id, key: 'a new one' } }), {
    execute: (args: Titled) => ({ ...write(args).data, key: `k${String((asked += 1))}` }),
  }),
  foreseen_reading: looks(read, { simulate: ({ id }: Titled) => ({ changes: [], result: read({ id }) }) }),
};

const faults = ({ findings }: ToolReport) => [...new Set(findings.map(({ fault }) => fault))];

describe('the check of a page’s own tools', () => {
  for (const [at, [fault, tool]] of planted.entries())
    it(`finds in ${String(at + 1)}: ${fault}`, async () => {
      // Only a tool that never ends is waited for in vain; a busy machine needs longer for the others.
      const report = await check([tool], fault === 'endless' ? {} : { timeout: 1_000 });
      expect(faults(report), report.text).to.include(fault);
      const { message } = report.findings.find((one) => one.fault === fault)!;
      expect(message)
        .to.match(/^\S.*[.!?:\w"”]$/s)
        .and.include(' ');
    });

  for (const [name, tool] of Object.entries(sound))
    it(`says nothing of a sound tool: ${name}`, async () => {
      for (const seed of isFullEffort ? [1, 2, 3] : [Date.now() % 1000]) {
        const report = await check([{ ...tool, name }], { seed, timeout: 5000 });
        expect(report.findings, report.text).to.deep.equal([]);
      }
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
