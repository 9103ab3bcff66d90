/** WebMCP as the browser has it: Chromium with its flag; elsewhere there is nothing, and no error. */
import { expect, fixture, waitUntil } from '@open-wc/testing';
import { html } from 'lit';
import { connectWebMcp, publishTools } from '../../src/webmcp/index.js';
import { createRegistry } from '../../src/tools/registry.js';
import type { ToolContext } from '../../src/tools/tool.js';

interface Context {
  registerTool(tool: object, options: object): Promise<void>;
  getTools(): Promise<{ name: string }[]>;
  executeTool(tool: object, input: object): Promise<string>;
}

const page = (document as { modelContext?: Context }).modelContext;
const context = { signal: new AbortController().signal } as ToolContext;

describe('WebMCP of the browser', () => {
  const stop = new AbortController();
  after(() => {
    stop.abort();
  });

  it('is there in Chromium, and missed by nobody elsewhere', async () => {
    const connection = await connectWebMcp({ registerTool: () => () => undefined });
    expect(connection.available).to.equal(page !== undefined);
    if (navigator.userAgent.includes('Chrome/')) expect(page, 'its flag').to.not.equal(undefined);
    connection.close();
  });

  it('offers tools and forms of the page, and runs them; gets the host’s tools, which run by way of the chat', async function () {
    if (!page) this.skip(); // no such interface in Firefox, nor in WebKitGTK
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const execute = ({ a }: { a: number }) => Promise.resolve({ double: a * 2 });
    const double = { name: 'double', description: 'Doubles', inputSchema, execute, annotations: { readOnlyHint: true } };
    await page.registerTool(double, { signal: stop.signal });
    await fixture(
      html`<form toolname="ask_us" tooldescription="Asks" toolautosubmit><input name="q" toolparamdescription="What" /></form>`,
    );
    const registry = createRegistry();
    const connection = await connectWebMcp({ registerTool: (tool) => registry.register(tool) }, { trusted: true });
    await waitUntil(() => registry.has('ask_us'), 'the form', { timeout: 10_000 });
    expect(registry.get('double')).to.deep.include({ risk: 'query', untrusted: true });
    expect(registry.get('double')?.parameters).to.have.nested.property('properties.a');
    expect(await registry.get('double')?.execute({ a: 4 }, context)).to.deep.equal({ double: 8 });
    connection.close();
    expect(registry.list()).to.deep.equal([]);

    const asked: object[] = [];
    const executeToolManually = (call: object) => Promise.resolve((asked.push(call), { success: true, result: 'Noted' }) as never);
    const chat = { registerTool: () => () => undefined, registerTools: () => () => undefined, executeToolManually };
    const takeBack = publishTools(chat, [{ name: 'note', description: 'Notes', parameters: { type: 'object' }, execute: () => '' }]);
    const offered = async () => (await page.getTools()).find(({ name }) => name === 'note');
    await waitUntil(async () => (await offered()) !== undefined, 'the tool', { timeout: 10_000 });
    expect(await page.executeTool((await offered())!, { text: 'x' })).to.equal('Noted');
    expect(asked).to.deep.equal([{ type: 'tool_use', name: 'note', params: { text: 'x' }, partial: false }]);
    takeBack();
    expect(await offered()).to.equal(undefined);
  });
});
