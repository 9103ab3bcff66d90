/** `toolCallConfig`: one checked object that makes approval stricter and never milder (S2-12 … S2-22); numbers and names that are none. */
import { expect } from 'chai';
import * as core from '../../src/core.js';
import type { ConversationOptions } from '../../src/conversation/conversation.js';
import { presets } from '../../src/conversation/options/presets.js';
import type { Approval } from '../../src/tools/approval-policy.js';
import { jsonToolCalls } from '../../src/protocols/json-tool-calls.js';
import { vcp } from '../../src/protocols/vcp.js';
import { play, ran, stage, system, type PlayOptions } from './play.js';
import { call, statuses, useFaultServer, type Talk } from './talk.js';

const { DEFAULT_TOOL_CALL_CONFIG } = core;
const enabled = { ...DEFAULT_TOOL_CALL_CONFIG, enabled: true };

/** Values that the log says do not fit. */
const complaints = (one: Talk) =>
  one.entries
    .filter(({ code }) => code === 'config.value')
    .map(({ context }) => Object.values(context as { option: string; type: string }).join(' '));
const rounds = (count: number) => Array.from({ length: count }, (_, at) => call('act', { title: String(at) }));

describe('toolCallConfig', () => {
  useFaultServer({ settles: true });

  for (const preset of Object.keys(presets).filter((name) => name !== 'cutie-xml'))
    it(`with \`requireConfirmation: false\` is as if it were not set under ${preset}: only aio-vcp runs danger unasked (Y-01)`, async () => {
      const answers: PlayOptions['answers'] = preset === 'aio-vcp' ? [] : ['deny'];
      const options = { preset, toolCallConfig: enabled, planning: 'off', answers } as const;
      const one = await play([vcp.writeCall!('erase', {}), 'Done.'], { erase: { risk: 'danger' } }, options);
      expect(ran(one)).to.deep.equal(preset === 'aio-vcp' ? ['erase'] : []);
    });

  for (const approval of ['auto', 'by-risk', 'always', 'user-run'] as Approval[])
    it(`beside approval="${approval}" the strictest wins`, async () => {
      for (const toolCallConfig of [
        {},
        { requireConfirmation: true },
        { requireConfirmation: false, mode: 'auto' },
        { requireConfirmation: false, mode: 'manual' },
      ] as Partial<core.ToolCallConfig>[])
        for (const risk of [undefined, 'query', 'write', 'danger'] as const) {
          const { results } = await play([call('act'), 'Done.'], { act: { risk: risk as never } }, { approval, toolCallConfig });
          const asks =
            toolCallConfig.requireConfirmation === true ||
            toolCallConfig.mode === 'manual' ||
            approval === 'always' ||
            approval === 'user-run' ||
            (approval === 'by-risk' && (risk === undefined || risk === 'danger'));
          // Nobody can be asked here.
          expect(statuses(results), JSON.stringify([toolCallConfig, risk])).to.deep.equal([asks ? 'denied' : 'success']);
        }
    });

  it('has precedence over single options, and switches single tools', async () => {
    const disabled = { tools: 'on', approval: 'auto', toolCallConfig: { enabled: false } } as const;
    const off = await play([call('act')], { act: { risk: 'query' } }, disabled);
    expect([off.runs.length, off.requests().length]).to.deep.equal([0, 1]);
    const limited = await play([...rounds(2), 'Done.'], 'act', { maxIterations: 9, toolCallConfig: { maxIterations: 1 } });
    expect([limited.reason, limited.runs.length]).to.deep.equal(['limit', 1]);
    const one = await play([call('look') + call('act'), 'Done.'], 'look act', { toolCallConfig: { toolToggles: { act: false } } });
    expect(one.results.map(({ status, code }) => code ?? status)).to.have.members(['success', 'TOOL_NOT_FOUND']);
    expect(system(one)).to.include('### look').and.not.include('### act');
  });

  const bad: [field: keyof core.ToolCallConfig, ...values: unknown[]][] = [
    ['enabled', 'false', 'true', 1, null],
    ['mode', 'Manual', true],
    ['toolToggles', ['act'], 'act', null],
    ['defaultToolEnabled', 'no', 0],
    ['maxIterations', NaN, Infinity, -1, 0, 2.5, null, '5', {}],
    ['timeout', NaN, Infinity, -1, 2 ** 40, '30s'],
    ['requireConfirmation', 'yes', 1],
    ['parallelExecution', 'true', []],
    ['protocol', '', 5, () => 'vcp'],
  ];
  for (const [field, ...values] of bad)
    it(`warns once of each \`${field}\` that does not fit, and goes by the default`, async () => {
      for (const value of values) {
        const one = await play([...rounds(8), 'Done.'], 'act', { toolCallConfig: { [field]: value } as never });
        await one.send();
        const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
        expect(complaints(one)).to.deep.equal([`toolCallConfig.${field} ${type}`]);
        expect(JSON.stringify(one.entries.map(({ message }) => message))).to.include(`toolCallConfig.${field}`);
        // Five rounds are the default; a broken switch is off.
        expect(one.results.filter(({ success }) => success)).to.have.length(field === 'enabled' ? 0 : 5);
      }
    });

  it('warns of a field that is none of the nine, of a toggle that is none, and of a value that is no object', async () => {
    for (const [toolCallConfig, expected] of [
      [{ requireConfirmations: true }, 'toolCallConfig.requireConfirmations boolean'],
      [{ toolToggles: { act: 'off', look: false } }, 'toolCallConfig.toolToggles.act string'],
      ['off', 'toolCallConfig string'],
    ] as const) {
      const one = await play([call('act') + call('look'), 'Done.'], 'act look', { toolCallConfig: toolCallConfig as never });
      expect(complaints(one)).to.deep.equal([expected]);
      expect(ran(one)).to.include('act');
      if (expected.includes('Toggles')) expect(ran(one)).to.not.include('look');
    }
  });

  it('reads own fields only, and survives one that throws', async () => {
    const throws = { maxIterations: { enumerable: true, get: () => expect.fail('no') as never } };
    const toolCallConfig = Object.create({ enabled: true, requireConfirmation: true }, throws) as core.ToolCallConfig;
    expect(statuses((await play([call('act'), 'Done.'], 'act', { toolCallConfig })).results)).to.deep.equal(['success']);
  });

  it('has defaults that nobody can change', () => {
    expect(DEFAULT_TOOL_CALL_CONFIG).to.deep.equal({
      ...{ enabled: false, mode: 'auto', toolToggles: {}, defaultToolEnabled: true, maxIterations: 5, timeout: 30_000 },
      ...{ requireConfirmation: false, parallelExecution: false, protocol: 'vcp' },
    });
    expect(Object.isFrozen(DEFAULT_TOOL_CALL_CONFIG) && Object.isFrozen(DEFAULT_TOOL_CALL_CONFIG.toolToggles)).to.equal(true);
  });
});

describe('an option that does not fit', () => {
  useFaultServer({ settles: true });

  for (const option of 'repeatLimit toolTimeout maxTokens requestTimeout heartbeat blockTimeout maxAccumulator tokenBudget'.split(' '))
    it(`as \`${option}\` is the default, and one warning`, async () => {
      const act = { execute: () => new Promise((resolve) => setImmediate(resolve)) };
      const one = await play([...Array.from({ length: 3 }, () => call('act')), 'Done.'], { act }, { [option]: NaN });
      expect(statuses(one.results)).to.deep.equal(['success', 'success', 'success']);
      expect(complaints(one)).to.deep.equal([`${option} number`]);
    });
});

describe('coercion="none"', () => {
  useFaultServer({ settles: true });
  const parameters = {
    type: 'object',
    properties: { n: { type: 'integer' }, on: { type: 'boolean' }, title: { type: 'string' } },
  } as const;
  const seed = { preset: 'aio-vcp', toolCallConfig: { enabled: true } };
  const written = { n: '3', on: 'true', title: '2024' };

  it('reads values of a protocol of texts by the schema, and guesses nothing (Y-10)', async () => {
    for (const [text, options] of [
      [vcp.writeCall!('act', written), seed],
      [call('act', written), { coercion: 'none' }],
    ] as [string, Partial<ConversationOptions>][]) {
      const { runs } = await play([text, 'Done.'], { act: { parameters } }, options);
      expect(runs[0]?.args).to.deep.equal({ n: 3, on: true, title: '2024' });
    }
    const bare = await play([call('act', written), 'Done.'], { act: { parameters: undefined as never } }, { coercion: 'none' });
    expect(bare.runs[0]?.args).to.deep.equal(written);
  });

  it('still refuses values that the schema does not allow, and a text where a typed protocol could have written a number', async () => {
    for (const [text, options] of [
      [vcp.writeCall!('act', { n: 'three' }), seed],
      [jsonToolCalls.writeCall!('act', { n: '3' }), { protocol: 'json-tool-calls', coercion: 'none' }],
    ] as [string, Partial<ConversationOptions>][])
      expect((await play([text, 'Done.'], { act: { parameters } }, options)).results[0]).to.include({ code: 'INVALID_PARAMETER' });
  });

  it('would be noticed: without it a typed protocol’s text becomes a number', async () => {
    const one = stage([jsonToolCalls.writeCall!('act', { n: '3' }), 'Done.'], { act: { parameters } }, { protocol: 'json-tool-calls' });
    await one.send();
    expect(one.runs[0]?.args).to.deep.equal({ n: 3 });
  });
});
