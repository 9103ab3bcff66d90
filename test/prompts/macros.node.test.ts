import { expect } from 'chai';
import type { Macro, PromptMacro } from '../../src/prompts/macros.js';
import { composeSystemPrompt, type SystemPromptOptions } from '../../src/prompts/system-prompt.js';
import type { ToolDescription, ToolProtocol } from '../../src/protocols/protocol.js';

const protocol: ToolProtocol = {
  id: 'marked',
  generateToolDefinitions: () => 'TOOLS',
  parseToolRequests: () => [],
  formatToolResults: () => '',
};
const tools: ToolDescription[] = [{ toolId: 'a', toolName: 'a', methods: [{ name: 'a', description: 'A' }] }];

type Macros = Record<string, Macro | PromptMacro>;
function build(systemPrompt: string, macros: Macros, more: Partial<SystemPromptOptions> = {}, signal?: AbortSignal) {
  const given = Object.entries(macros).map(([name, macro]) => [name, typeof macro === 'function' ? { execute: macro } : macro] as const);
  const usual = { protocol, tools: [], lang: 'en', callsPerTurn: 'many' } as const;
  return composeSystemPrompt({ systemPrompt, ...usual, macros: new Map(given), ...more, tools: [...(more.tools ?? [])] }, signal);
}

describe('macros of the host (S2-48)', () => {
  it('stand beside the tools, wherever these are', async () => {
    const macros = { shop: () => 'SHOP' };
    expect(await build('{{shop}} {{tools}} {{shop}}', macros, { tools })).to.equal('SHOP TOOLS SHOP');
    expect(await build('{{shop}}', macros, { tools })).to.equal('SHOP\n\nTOOLS');
    expect(await build('A {{tools}} B', {}, { tools: [] })).to.equal('A  B');
  });

  it('are told their arguments, the context and the protocol, and run once for each way they are written', async () => {
    const calls: unknown[] = [];
    const note: Macro = ({ signal, ...info }) => {
      expect(signal.aborted).to.equal(false);
      calls.push(info);
      return info.args ?? 'none';
    };
    const variables = { user: 'Ann' };
    expect(await build('{{n}} {{n}} {{n:a, b}} {{n:}}|{{n:{user}}}', { n: note }, { variables })).to.equal('none none a, b |{{n:Ann}}');
    const info = { context: variables, protocol: 'marked' };
    expect(calls).to.deep.equal([info, { ...info, args: 'a, b' }, { ...info, args: '' }]);
  });

  it('bring in text that is never read again', async () => {
    const source = 'x {{other}} {{tools}} {user} {{loop}}\u0000';
    const macros = { loop: () => source, other: () => 'OTHER' };
    expect(await build('{{loop}}', macros, { tools, variables: { user: 'Ann' } })).to.equal(`${source.slice(0, -1)}\n\nTOOLS`);
  });

  it('stay as they are written when there is none of that name', async () => {
    const text = '{{shop}} {{toString}} {{__proto__}} {{constructor:x}} {{ shop2 }}';
    expect(await build(text, { other: () => 'x' })).to.equal(text);
    expect(await build(text, {}, { macros: undefined })).to.equal(text);
  });

  it('run by priority, before and after the tools; equal ones side by side', async () => {
    const order: string[] = [];
    const step = (name: string, priority?: number): PromptMacro => ({
      execute: async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        return name;
      },
      ...(priority !== undefined && { priority }),
    });
    const counting = { ...protocol, generateToolDefinitions: () => (order.push('tools'), 'TOOLS') };
    const macros = { low: step('low', 1), usual: step('usual'), alike: step('alike', 50), first: step('first', 100) };
    const text = await build('{{low}} {{usual}} {{alike}} {{tools}} {{first}}', macros, { tools, protocol: counting });
    expect(text).to.equal('low usual alike TOOLS first');
    expect(order.join()).to.equal('first begins,first ends,tools,usual begins,alike begins,usual ends,alike ends,low begins,low ends');
  });
});

describe('a macro that fails', () => {
  const failing = async (macros: Record<string, Macro>, more: Partial<SystemPromptOptions> = {}, signal?: AbortSignal) => {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    const text = await build('A {{bad}} B {{good}}', { good: () => 'good', ...macros }, { ...more, warn }, signal);
    return { text, warnings };
  };

  it('is empty, with a warning: whether it throws, rejects or returns no text', async () => {
    const boom = new Error('boom');
    const throwing = () => {
      throw boom;
    };
    const bad: Macro[] = [throwing, () => Promise.reject(boom), () => 5 as never, () => undefined as never];
    for (const each of bad) {
      const { text, warnings } = await failing({ bad: each });
      expect([text, warnings.length]).to.deep.equal(['A  B good', 1]);
      expect(warnings[0]).to.contain('{{bad}}');
    }
  });

  it('is empty when it is too slow, and is told to stop', async () => {
    let told = false;
    const slow: Macro = ({ signal }) => new Promise(() => signal.addEventListener('abort', () => (told = true)));
    const { text, warnings } = await failing({ bad: slow }, { macroTimeout: 1 });
    expect(text).to.equal('A  B good');
    expect(warnings[0]).to.contain('1 ms');
    expect(told).to.equal(true);
  });
});
