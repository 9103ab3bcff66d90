/**
 * One scenario of the official conformance tests of MCP, played with `connectMcp` as a page would. The user of this page signs in when asked and
 * sends every form as it is filled in. Run by `conformance.node.test.ts`; the last argument is the address of the server.
 */
import { connectMcp, type McpSignIn } from '../../src/mcp/index.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { context, quiet } from './connected.js';

const PAGE = 'http://localhost:3000/';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'];
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { client_id?: string };
// A page may name the address of a document that describes it.
const clientId = scenario === 'auth/basic-cimd' ? 'https://conformance-test.local/client-metadata.json' : given.client_id;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A window is a request that follows the way back to the page.
const open = () => ({
  ...{ opener: {}, close: () => undefined },
  location: {
    replace(href: string) {
      void fetch(href, { redirect: 'manual' }).then((response) => {
        const channel = new BroadcastChannel('tool-chat-oauth');
        channel.postMessage(new URL(response.headers.get('location') ?? 'about:blank').search);
        setTimeout(() => channel.close(), 50);
      });
    },
  },
});
Object.assign(globalThis, {
  document: { baseURI: PAGE },
  location: { href: PAGE, host: 'localhost:3000', origin: PAGE.slice(0, -1) },
  open,
});

const tools = new Map<string, ToolDefinition>();
let isAsking = false;
let questions = 0;
/** A user gives up after a few windows. */
function signIn(question: McpSignIn | undefined): void {
  const isNew = question !== undefined && !isAsking;
  isAsking = question !== undefined;
  if (isNew && (questions += 1) <= 3) question.press();
}
const connection = await connectMcp(
  { registerTool: (tool) => (tools.set(tool.name, tool), () => void tools.delete(tool.name)) },
  process.argv.at(-1)!,
  {
    ...{ logger: { ...quiet, warn: console.log }, signIn, auth: clientId === undefined ? {} : { clientId } },
    elicit: ({ schema }) => {
      const fields = Object.entries((schema['properties'] ?? {}) as Record<string, { default?: unknown }>);
      const content = Object.fromEntries(fields.flatMap(([name, field]) => (field.default === undefined ? [] : [[name, field.default]])));
      return Promise.resolve({ action: 'accept', content });
    },
  },
);
const until = async (isDone: () => boolean) => {
  for (let left = 60; left > 0 && !isDone(); left -= 1) await wait(50);
};
await until(() => tools.size > 0 || questions > 3);
for (const tool of [...tools.values()].filter(({ name }) => !name.endsWith('_resource')))
  for (let left = 3; left > 0; left -= 1) {
    const before = questions;
    const failed = await Promise.resolve(tool.execute({ a: 5, b: 3 }, context())).then(() => undefined, String);
    if (failed === undefined) break;
    console.log(failed);
    await wait(100);
    if (questions === before) break;
    await until(() => !isAsking);
  }
await connection.close();
process.exit(connection.error === undefined ? 0 : 1);
