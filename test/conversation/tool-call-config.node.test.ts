/** Seed 002's settings of an agent: one checked object, that makes approval stricter and never milder (S2-12 … S2-22). */
import { expect } from 'chai';
import fc from 'fast-check';
import * as core from '../../src/core.js';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { presets } from '../../src/conversation/options/presets.js';
import type { Approval } from '../../src/tools/gate.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { vcp } from '../../src/protocols/vcp.js';
import { call, settlesWell, statuses, talk, until, useFaultServer, type Talk } from './talk.js';

const { DEFAULT_TOOL_CALL_CONFIG } = core;

/** What the log says does not fit. */
const complaints = (one: Talk) =>
  one.entries.filter(({ code }) => code === 'config.value').map(({ context }) => context as { option: string; type: string });

describe('toolCallConfig', () => {
  useFaultServer();

  for (const preset of Object.keys(presets).filter((name) => name !== 'aio-vcp' && name !== 'cutie-xml'))
    it(`makes no danger tool run unasked under ${preset}: \`requireConfirmation: false\` is as if it were not set (Y-01)`, async () => {
      const toolCallConfig = { ...DEFAULT_TOOL_CALL_CONFIG, enabled: true };
      const one = talk([vcp.writeCall!('erase', {}), 'Done.'], { preset, toolCallConfig, person: true, planning: 'off' });
      one.tool('erase', { risk: 'danger' });
      const turn = one.send();
      const [card] = await one.asked();
      expect(one.runs).to.deep.equal([]);
      one.decide('deny', card!);
      await turn;
      expect(one.runs).to.deep.equal([]);
    });

  it('leaves the column of aio-vcp as the seed has it', async () => {
    const one = talk([vcp.writeCall!('erase', {}), 'Done.'], {
      preset: 'aio-vcp',
      toolCallConfig: { ...DEFAULT_TOOL_CALL_CONFIG, enabled: true },
    });
    one.tool('erase', { risk: 'danger' });
    await one.send();
    expect(one.runs).to.have.length(1);
  });

  it('and what stands beside it: the strictest wins', async () => {
    const strictness: readonly Approval[] = ['auto', 'by-risk', 'always', 'user-run'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...strictness),
        fc.constantFrom(undefined, true, false),
        fc.constantFrom(undefined, 'auto' as const, 'manual' as const),
        fc.constantFrom(undefined, 'query' as const, 'write' as const, 'danger' as const),
        async (approval, requireConfirmation, mode, risk) => {
          const toolCallConfig = {
            ...(requireConfirmation !== undefined && { requireConfirmation }),
            ...(mode !== undefined && { mode }),
          };
          const one = talk([call('act'), 'Done.'], { approval, toolCallConfig });
          one.tool('act', { risk: risk as never });
          const { results } = await one.send();
          const asks =
            requireConfirmation === true ||
            mode === 'manual' ||
            approval === 'always' ||
            approval === 'user-run' ||
            (approval === 'by-risk' && (risk === undefined || risk === 'danger'));
          // Nobody can be asked here.
          expect(statuses(results)).to.deep.equal([asks ? 'denied' : 'success']);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('goes before single options beside it', async () => {
    const off = talk([call('act')], { tools: 'on', approval: 'auto', toolCallConfig: { enabled: false } });
    off.tool('act', { risk: 'query' });
    await off.send();
    expect([off.runs.length, off.requests().length]).to.deep.equal([0, 1]);

    const limited = talk([call('act', { title: '1' }), call('act', { title: '2' }), 'Done.'], {
      maxIterations: 9,
      toolCallConfig: { maxIterations: 1 },
    });
    limited.tool('act');
    expect(await limited.send()).to.include({ reason: 'limit' });
    expect(limited.runs).to.have.length(1);
  });

  const bad: [field: keyof core.ToolCallConfig, value: unknown, type: string][] = [
    ['enabled', 'false', 'string'],
    ['enabled', 'true', 'string'],
    ['enabled', 1, 'number'],
    ['enabled', null, 'null'],
    ['mode', 'Manual', 'string'],
    ['mode', true, 'boolean'],
    ['toolToggles', ['act'], 'array'],
    ['toolToggles', 'act', 'string'],
    ['toolToggles', null, 'null'],
    ['defaultToolEnabled', 'no', 'string'],
    ['defaultToolEnabled', 0, 'number'],
    ['maxIterations', NaN, 'number'],
    ['maxIterations', Infinity, 'number'],
    ['maxIterations', -1, 'number'],
    ['maxIterations', 0, 'number'],
    ['maxIterations', 2.5, 'number'],
    ['maxIterations', null, 'null'],
    ['maxIterations', '5', 'string'],
    ['maxIterations', {}, 'object'],
    ['timeout', NaN, 'number'],
    ['timeout', Infinity, 'number'],
    ['timeout', -1, 'number'],
    ['timeout', 2 ** 40, 'number'],
    ['timeout', '30s', 'string'],
    ['requireConfirmation', 'yes', 'string'],
    ['requireConfirmation', 1, 'number'],
    ['parallelExecution', 'true', 'string'],
    ['parallelExecution', [], 'array'],
    ['protocol', '', 'string'],
    ['protocol', 5, 'number'],
    ['protocol', () => 'vcp', 'function'],
  ];

  for (const [field, value, type] of bad)
    it(`warns once of \`${field}\` where it is ${type} ${String(value)}, and goes by the default`, async () => {
      const loops = Array.from({ length: 8 }, (_, at) => call('act', { title: String(at) }));
      const one = talk([...loops, 'Done.'], { toolCallConfig: { [field]: value } as never });
      one.tool('act');
      one.tool('erase', { risk: 'danger' });
      await one.send();
      await one.send();
      expect(complaints(one)).to.deep.equal([{ option: `toolCallConfig.${field}`, type }]);
      expect(JSON.stringify(one.entries.map(({ message }) => message))).to.include(`toolCallConfig.${field}`);
      // Five rounds are the default; what was to be switched on or off by mistake is off.
      expect(one.runs.map(({ name }) => name).slice(0, 6)).to.deep.equal(
        field === 'enabled'
          ? []
          : Array(5)
              .fill('act')
              .concat(one.runs[5] ? 'act' : []),
      );
    });

  it('warns of a field that is none of the nine, and of what is no object', async () => {
    const one = talk(['Hi.'], { toolCallConfig: { requireConfirmations: true } as never });
    await one.send();
    expect(complaints(one)).to.deep.equal([{ option: 'toolCallConfig.requireConfirmations', type: 'boolean' }]);
    const two = talk(['Hi.'], { toolCallConfig: 'off' as never });
    await two.send();
    expect(complaints(two)).to.deep.equal([{ option: 'toolCallConfig', type: 'string' }]);
    const three = talk([call('act') + call('look'), 'Done.'], { toolCallConfig: { toolToggles: { act: 'off', look: false } } as never });
    three.tool('act');
    three.tool('look');
    await three.send();
    expect(complaints(three)).to.deep.equal([{ option: 'toolCallConfig.toolToggles.act', type: 'string' }]);
    expect(three.runs.map(({ name }) => name)).to.deep.equal(['act']);
  });

  it('takes what may throw or lie as what it is', async () => {
    const toolCallConfig = Object.create(
      { enabled: true, requireConfirmation: true },
      {
        maxIterations: {
          enumerable: true,
          get: () => {
            throw new Error('no');
          },
        },
      },
    ) as core.ToolCallConfig;
    const one = talk([call('act'), 'Done.'], { toolCallConfig });
    one.tool('act');
    expect(statuses((await one.send()).results)).to.deep.equal(['success']);
  });

  it('is the same object for everybody, that nobody can change', () => {
    expect(DEFAULT_TOOL_CALL_CONFIG).to.deep.equal({
      ...{ enabled: false, mode: 'auto', toolToggles: {}, defaultToolEnabled: true, maxIterations: 5, timeout: 30_000 },
      ...{ requireConfirmation: false, parallelExecution: false, protocol: 'vcp' },
    });
    expect(Object.isFrozen(DEFAULT_TOOL_CALL_CONFIG) && Object.isFrozen(DEFAULT_TOOL_CALL_CONFIG.toolToggles)).to.equal(true);
  });
});

describe('a number that is none', () => {
  useFaultServer();

  for (const value of [NaN, Infinity, -1, 0, 1.5, null, '5', [], true])
    it(`as \`maxIterations\`: ${JSON.stringify(value)} ${typeof value} is five rounds, and one warning`, async () => {
      const turns = Array.from({ length: 9 }, (_, at) => call('act', { title: String(at) }));
      const one = talk([...turns], { maxIterations: value as never });
      one.tool('act');
      expect(await one.send()).to.include({ reason: 'limit' });
      expect(one.runs).to.have.length(5);
      expect(complaints(one).map(({ option }) => option)).to.deep.equal(['maxIterations']);
    });

  for (const option of [
    'repeatLimit',
    'toolTimeout',
    'maxTokens',
    'requestTimeout',
    'heartbeat',
    'blockTimeout',
    'maxAccumulator',
    'tokenBudget',
  ])
    it(`as \`${option}\` is the default, and one warning`, async () => {
      const one = talk([...Array.from({ length: 3 }, () => call('act')), 'Done.'], { [option]: NaN });
      one.tool('act', { execute: () => new Promise((resolve) => setTimeout(resolve, 5)) /* work that takes time */ });
      const { results } = await one.send();
      expect(statuses(results)).to.deep.equal(['success', 'success', 'success']);
      expect(complaints(one).map((each) => each.option)).to.deep.equal([option]);
    });

  it('as one of the limits is the default of that limit', async () => {
    const one = talk([call('act').repeat(25), 'Done.'], { limits: { callsPerReply: NaN, depth: 3 } as never, repeatLimit: 99 });
    one.tool('act', { risk: 'query' });
    await one.send();
    expect(one.runs).to.have.length(20);
    expect(complaints(one).map(({ option }) => option)).to.deep.equal(['limits.callsPerReply']);
  });
});

describe('protocol=""', () => {
  useFaultServer();

  for (const [preset, text] of [
    ['balanced', call('act')],
    ['semi-auto', jsonToolCalls.writeCall!('act', {})],
  ] as const)
    it(`is not accepted: the notation of ${preset} holds, with one warning`, async () => {
      const options: Partial<ConversationOptions> = { preset, protocol: '' };
      const one = talk([text, 'Done.'], { ...options, approval: 'auto', promptInjection: 'client' });
      one.tool('act');
      await one.send();
      await one.send();
      expect(one.runs).to.have.length(1);
      expect(complaints(one)).to.deep.equal([{ option: 'protocol', type: 'string' }]);
    });

  it('and an unknown one is warned of once', async () => {
    const one = talk([call('act'), 'Done.', 'Hi.'], { protocol: 'of-nobody' });
    one.tool('act');
    await one.send();
    await one.send();
    await until(() => !one.chat.isLoading, 'the end');
    expect(one.entries.filter(({ code }) => code === 'config.protocol')).to.have.length(1);
    await settlesWell(one);
  });
});

describe('coercion="none"', () => {
  useFaultServer();
  const parameters = { type: 'object', properties: { n: { type: 'integer' }, on: { type: 'boolean' }, title: { type: 'string' } } };

  it('reads values of a notation of texts by the schema, and guesses nothing (Y-10)', async () => {
    const written = { n: '3', on: 'true', title: '2024' };
    for (const [text, options] of [
      [vcp.writeCall!('act', written), { preset: 'aio-vcp', toolCallConfig: { enabled: true } }],
      [call('act', written), { coercion: 'none' }],
    ] as [string, Partial<ConversationOptions>][]) {
      const one = talk([text, 'Done.'], options);
      one.tool('act', { parameters });
      expect(statuses((await one.send()).results)).to.deep.equal(['success']);
      expect(one.runs[0]?.args).to.deep.equal({ n: 3, on: true, title: '2024' });
    }
    const bare = talk([call('act', written), 'Done.'], { coercion: 'none' });
    bare.tool('act', { parameters: undefined as never });
    await bare.send();
    expect(bare.runs[0]?.args).to.deep.equal(written);
  });

  it('still refuses what the schema does not allow, and what a typed notation writes as a text', async () => {
    const one = talk([vcp.writeCall!('act', { n: 'three' }), 'Done.'], { preset: 'aio-vcp', toolCallConfig: { enabled: true } });
    one.tool('act', { parameters });
    expect((await one.send()).results[0]).to.include({ status: 'error', code: 'INVALID_PARAMETER' });
    const two = talk([jsonToolCalls.writeCall!('act', { n: '3' }), 'Done.'], { protocol: 'json-tool-calls', coercion: 'none' });
    two.tool('act', { parameters });
    expect((await two.send()).results[0]).to.include({ status: 'error', code: 'INVALID_PARAMETER' });
  });
});
