import { expect } from 'chai';
import { ToolError } from '../../src/base/errors.js';
import { en } from '../../src/i18n/en.js';
import { createLog } from '../../src/base/logging.js';
import { executeTool, type ExecuteOptions } from '../../src/tools/execute.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { checkedCall, setUp, throws, tool } from './helpers.js';

async function run(definition: Partial<ToolDefinition>, more: Partial<ExecuteOptions> = {}, args: object = {}) {
  const setup = setUp([tool(definition)]);
  const prepared = await checkedCall(setup, args);
  const result = await executeTool({ prepared, sessionId: 'session-1', texts: en, log: setup.log, ...more });
  return { result, entries: setup.entries.filter(({ stage }) => stage) };
}

describe('executing a tool', () => {
  it('hands over arguments and context, and publishes the result (S0-62)', async () => {
    let seen: ToolContext | undefined;
    const execute = (args: object, context: ToolContext) => {
      seen = context;
      return { success: true, message: 'Created', data: args };
    };
    const given = { user: { name: 'Ann' }, permissions: ['tasks'] };
    const { result } = await run({ execute }, given, { a: 1 });
    expect(result).to.deep.include({ requestId: 'call-1', toolName: 'echo', status: 'success', success: true });
    expect(result).to.deep.include({ message: 'Created', result: 'Created\n{"a":1}' });
    expect(result.durationMs).to.be.a('number').and.at.least(0);
    expect(seen).to.deep.include({ requestId: 'call-1', sessionId: 'session-1', ...given });
    expect(seen?.signal.aborted).to.equal(false);
  });

  it('tells progress, checked and thinned out, and nothing after the end', async () => {
    const told: unknown[] = [];
    let report: ToolContext['progress'] = () => undefined;
    const execute = (_: unknown, { progress }: ToolContext) => {
      report = progress;
      progress({ fraction: 7, message: 'x'.repeat(500) });
      for (let step = 0; step < 1000; step++) progress({ fraction: step / 1000 });
      progress(undefined as never);
      return 'done';
    };
    await run({ execute }, { onProgress: (progress) => told.push(progress) });
    report({ fraction: 1 });
    expect(told).to.deep.equal([{ fraction: 1, message: 'x'.repeat(200) }]);
  });

  it('may have a time limit that is longer than a timer', async () => {
    const execute = () => new Promise((resolve) => setTimeout(resolve, 20, 'done'));
    expect((await run({ execute, timeout: 2 ** 40 })).result).to.include({ status: 'success', result: 'done' });
  });

  it('tells a refusal of business from a crash, and names the class of both (Y-21)', async () => {
    const conflict = Object.assign(new Error('Conflict'), { status: 409 });
    const cases: [() => unknown, object][] = [
      [throws(conflict), { layer: 'business', errorType: 'API_ERROR' }],
      [throws(new TypeError('x is undefined')), { layer: 'execution', errorType: 'EXECUTION_FAILED' }],
      [() => ({ success: false, message: 'Sold out' }), { layer: 'business' }],
    ];
    for (const [execute, entry] of cases) expect((await run({ execute })).entries.at(-1)).to.include(entry);
  });

  it('writes the lines of the seed, at their levels (S0-73, S0-146)', async () => {
    const lines: string[] = [];
    const note = (level: string) => (message: string) => lines.push(`${level} ${message}`);
    const logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    const log = createLog({ level: 'debug', logger });
    await run({ execute: () => 'done' }, { log });
    await run({ execute: throws(new Error('disk full')) }, { log });
    const begin = 'info Tool started: echo,debug Tool: echo';
    expect(lines.join()).to.equal(`${begin},info Tool succeeded,${begin},error Tool failed`);
    const { entries } = await run({ execute: throws(new ToolError('disk full', { errorType: 'network' })) }, {}, { path: '/a' });
    expect(entries.at(-1)).to.deep.include({ level: 'error', code: 'tool.failed', errorType: 'network', stage: 'WB' });
    expect(entries.at(-1)?.stack).to.contain('disk full');
    expect(entries.at(-1)?.context).to.deep.include({ toolName: 'echo', params: { path: '/a' } });
  });
});
