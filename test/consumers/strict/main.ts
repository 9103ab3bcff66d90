/** What a page's own code does with the types, under the strictest settings of the compiler. */
import { ToolChat, ToolError, type ToolChatEventMap, type ToolDefinition } from 'tool-chat';
import { createConversation, type ConversationOptions } from 'tool-chat/core';
import 'tool-chat/define';
import { en } from 'tool-chat/locales/en';
import { protocols, type ToolProtocol } from 'tool-chat/protocols';
import { createRelay } from 'tool-chat/relay';
import { scriptedUpstream } from 'tool-chat/testing';
import { connectMcp, type McpOptions } from 'tool-chat/mcp';
import { openApiTools, type OpenApiOptions } from 'tool-chat/tools';
import { connectWebMcp, publishTools } from 'tool-chat/webmcp';
import { z } from 'zod';

interface Rename {
  title: string;
}

const rename: ToolDefinition<Rename, { before: string }> = {
  name: 'rename',
  description: 'Renames the page.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  examples: [{ title: 'Home' }],
  risk: 'write',
  describeCall: ({ title }) => `Rename the page to “${title}”`,
  execute({ title }, { signal }) {
    if (signal.aborted) throw new ToolError('Too late', { code: 'CANCELLED' });
    const before = document.title;
    document.title = title;
    return { success: true, message: `Now “${title}”`, data: { before } };
  },
};

const chat = document.querySelector('tool-chat') ?? new ToolChat();
const off: () => void = chat.registerTool(rename);
off();
// Definitions of several types of arguments make one list.
const several: ToolDefinition[] = [rename];
chat.registerTools(several)();

// Arguments follow from the schema …
chat.registerTool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number().optional() }),
  execute: ({ a, b = 1 }) => a.toFixed(0) + b.toFixed(0),
});
// … or from the function.
chat.registerTool({ name: 'now', description: 'Says the time.', risk: 'query', execute: () => new Date().toISOString() });

chat.context = { user: 'ada', permissions: ['write'] };
chat.headers = async () => ({ authorization: await Promise.resolve('Bearer …') });
chat.layout = 'floating';
chat.addEventListener('tool-chat-tool-complete', (event) => {
  const { success, message }: { success: boolean; message: string } = event.result;
  console.log(success, message, event.requestId.length);
});
document.addEventListener('tool-chat-stream-end', ({ reason }) => {
  const known: ToolChatEventMap['tool-chat-stream-end']['reason'] = reason;
  console.log(known);
});
chat.subscribe(({ messages, state }) => {
  console.log(messages.at(-1)?.text, state);
});
const { success } = await chat.sendMessage('Hello', { tools: false });
console.log(success, chat.matchesState('idle'));

(window.toolChat ??= []).push((each) => {
  each.registerTool(rename);
});

const options: ConversationOptions = { endpoint: '/api/ai/chat/stream', tools: 'on' };
const conversation = createConversation(options);
conversation.registerTool(rename);
const protocol: ToolProtocol | undefined = protocols['xml-invoke'];
const relay: (request: Request) => Promise<Response> = createRelay({ upstream: scriptedUpstream() });
console.log(protocol?.id, relay, en.allow);

const api: OpenApiOptions = { filter: ['tasks'], auth: () => Promise.resolve({ authorization: 'Bearer …' }), risk: { wipe: 'danger' } };
for (const tool of await openApiTools('/openapi.json', api)) chat.registerTool(tool);

const trusting: McpOptions = { trusted: true, filter: ({ annotations }) => annotations['readOnlyHint'] === true };
const { close, tools, error = '' } = await connectMcp(chat, 'https://mcp.example/mcp', trusting);
console.log(tools.length, error);
await close();

const takeBack: () => void = publishTools(chat);
console.log((await connectWebMcp(chat, { trusted: true })).available);
takeBack();

// @ts-expect-error A tool without a description is no tool.
chat.registerTool({ name: 'half', execute: () => '' });
// @ts-expect-error There is no such layout.
chat.layout = 'sideways';

// What is not set may be said so.
void createConversation({ endpoint: '/api', model: undefined, maxTokens: undefined });
