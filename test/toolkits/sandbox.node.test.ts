/** Which tools for code there are; what code can do in the sandbox is tried in `test/e2e/sandbox.e2e.ts`. */
import { expect } from 'chai';
import { sandboxTools } from '../../src/toolkits/index.js';
import type { ToolContext, ToolDefinition } from '../../src/tools/tool.js';
import { until } from '../conversation/talk.js';

const context = { signal: new AbortController().signal } as ToolContext;

describe('sandboxTools', () => {
  function given(...options: Parameters<typeof sandboxTools>) {
    const warnings: string[] = [];
    const quiet = { debug: () => undefined, info: () => undefined, error: () => undefined };
    const logger = { ...quiet, warn: (message: string) => void warnings.push(message) };
    return { tools: sandboxTools({ ...options[0], logger }), warnings };
  }
  const names = (tools: readonly ToolDefinition[]) => tools.map(({ name }) => name);

  it('is one dangerous tool where there is a page for it (S3-26)', () => {
    const { tools, warnings } = given({ sandboxUrl: 'https://page.example/tool-chat-sandbox.html' });
    expect(tools).to.have.length(1);
    expect(tools[0]).to.include({ name: 'browser_js_eval', risk: 'danger' });
    expect(warnings).to.deep.equal([]);
  });

  it('is no tool where there is none, and one warning that says what to do', async () => {
    const { tools, warnings } = given();
    expect(tools).to.deep.equal([]);
    await until(() => warnings.length > 0, 'the warning');
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('sandboxUrl').and.contain('tool-chat-sandbox.html');
  });

  it('takes no address that is not of the web', () => {
    // eslint-disable-next-line no-script-url -- what it has to refuse
    for (const sandboxUrl of ['javascript:alert(1)', 'data:text/html,x', 'blob:https://page.example/1', 'file:///x', ' ', 'http://'])
      expect(given({ sandboxUrl }).tools, sandboxUrl).to.deep.equal([]);
    for (const odd of [7, null, {}, true]) expect(given({ sandboxUrl: odd as unknown as string }).tools).to.deep.equal([]);
  });

  it('runs code in the page only where `allowPageEval` is exactly true', async () => {
    const sandboxUrl = 'https://page.example/tool-chat-sandbox.html';
    for (const odd of [undefined, false, 1, 'true', {}])
      expect(names(given({ sandboxUrl, allowPageEval: odd as unknown as boolean }).tools)).to.deep.equal(['browser_js_eval']);
    const { tools } = given({ sandboxUrl, allowPageEval: true });
    expect(names(tools)).to.deep.equal(['browser_js_eval', 'page_js_eval']);
    expect(tools[1]).to.include({ risk: 'danger' });
    const run = (code: string) => tools[1]?.execute({ code }, context);
    expect(await run('Promise.resolve(1 + 1)')).to.deep.equal({ result: 2 });
    const failed: unknown = await Promise.resolve(run('nowhere.at.all')).catch((error: unknown) => error);
    expect(failed).to.have.property('message').that.contains('The code failed: nowhere is not defined');
  });
});
