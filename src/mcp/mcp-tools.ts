/** Converts tools and resources of an MCP server to tools of the page. */
import type { Allowance } from '../base/allowance.js';
import { isObject, own } from '../base/objects.js';
import type { Risk } from '../model/calls.js';
import { foreignSchema } from '../toolkits/foreign-schema.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import { shorter, snakeCase, uniqueName } from '../tools/tool-naming.js';
import { remoteWorkOf } from '../tools/remote-work.js';
import type { ToolContext, ToolDefinition } from '../tools/tool.js';
import { createToolApp, type AppSource } from './tool-app.js';
import type { McpClient } from './mcp-client.js';
import type { McpOptions, McpTool } from './mcp-options.js';
import { McpError, parameterHeaders, type Fields } from './mcp-message.js';
import { errorText, hasLinks, readContents, readResult } from './mcp-results.js';

export const DESCRIPTION_CHARS = 3000;
const LISTED = 50;

const describe = (tool: Fields): McpTool => {
  const annotations = own(tool, 'annotations');
  return { name: String(own(tool, 'name')), annotations: isObject(annotations) ? annotations : {} };
};

export function isWanted(tool: Fields, filter: McpOptions['filter']): boolean {
  const one = describe(tool);
  return typeof filter === 'function' ? filter(one) : (filter?.includes(one.name) ?? true);
}

/** Returns the risk of a tool; undefined needs approval. An untrusted server can only raise the risk of its tools. */
export function riskOf(tool: McpTool, { risk, trusted }: Pick<McpOptions, 'risk' | 'trusted'>): Risk | undefined {
  const said: unknown = typeof risk === 'function' ? risk(tool) : own(risk, tool.name);
  if (said === 'query' || said === 'write' || said === 'danger') return said;
  const claims = (name: string) => own(tool.annotations, name);
  if (trusted === true && claims('readOnlyHint') === true) return 'query';
  if (claims('readOnlyHint') !== true && claims('destructiveHint') === true) return 'danger';
  return trusted === true && claims('destructiveHint') === false ? 'write' : undefined;
}

/** @param left allowance that its schema spends */
export function toolOf(tool: Fields, source: AppSource, options: McpOptions, left: Allowance): ToolDefinition {
  const { prefix = '' } = options;
  const { client, words, media } = source;
  const one = describe(tool);
  const given = own(tool, 'inputSchema');
  const schema = isObject(given) ? given : {};
  const parameters = { ...foreignSchema(schema, left), type: 'object' };
  const risk = riskOf(one, options);
  const title = own(tool, 'title') ?? one.annotations['title'];
  const said = own(tool, 'description');
  const description = typeof said === 'string' ? shorter(said.slice(0, 4000).replace(/\s+/g, ' ').trim(), DESCRIPTION_CHARS) : '';
  const label = typeof title === 'string' ? shorter(title.replace(/\s+/g, ' ').trim(), 60) : '';
  const plain = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(prefix + one.name) ? prefix + one.name : snakeCase(prefix + one.name);
  const app = createToolApp(tool, label || one.name, source);
  return {
    name: uniqueName(plain, new Map()),
    description: description || label || words.toolOf(client.name),
    ...(label && { label }),
    ...{ parameters, untrusted: true },
    ...(risk && { risk }),
    ...(options.trusted === true && one.annotations['idempotentHint'] === true && { idempotent: true }),
    render: (call) => app?.render(call) ?? media.render(call),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    async execute(args, context) {
      const { signal, progress, requestId } = context;
      const onProgress = (params: Fields) => {
        remoteWorkOf(context)?.extend();
        progress(progressOf(params));
      };
      const asking = { signal, onProgress, headers: parameterHeaders(schema, args), pause: remoteWorkOf(context)?.pause };
      const result = await runRemotely(context, words, () => client.callTool(one.name, args, asking));
      app?.keep(requestId, result);
      media.keep(requestId, result);
      if (hasLinks(result)) await source.onLink();
      return readResult(result, words);
    },
  };
}

/** Sends a request and records whether the server may still be working on it after an error. */
async function runRemotely(context: ToolContext, words: ToolkitTexts, ask: () => Promise<Fields>): Promise<Fields> {
  const work = remoteWorkOf(context);
  work?.begin();
  try {
    const answer = await ask();
    work?.end();
    return answer;
  } catch (error) {
    // Only a refusal proves that the server is not working on it. After any other error, including a failed connection, the request may
    // have arrived.
    if (error instanceof McpError && hasRefused(error)) work?.end();
    throw errorText(error, words);
  }
}

/** Checks whether the server refused the request. A gateway without a response, or a server that failed meanwhile, has not refused it. */
const hasRefused = ({ why, status = 0, code = 0 }: McpError): boolean => why === 'refused' && status < 500 && !NO_ANSWER.has(code);

/** JSON-RPC codes: connection closed, request timed out, internal error. */
const NO_ANSWER: ReadonlySet<number> = new Set([-32_000, -32_001, -32_603]);

function progressOf(params: Fields): { fraction?: number; message?: string } {
  const [done, total, message] = ['progress', 'total', 'message'].map((key) => own(params, key));
  const known = typeof done === 'number' && typeof total === 'number' && total > 0;
  return {
    ...(known && { fraction: Math.min(1, Math.max(0, done / total)) }),
    ...(typeof message === 'string' && { message: shorter(message, 200) }),
  };
}

/** Returns a tool that reads the server's listed resources and those that results link to. */
export function resourceTool(listed: readonly Fields[], client: McpClient, options: McpOptions, words: ToolkitTexts): ToolDefinition {
  const known = listed.flatMap((resource) => {
    const [uri, name] = [own(resource, 'uri'), own(resource, 'name')];
    return typeof uri === 'string' && uri.length <= 500 ? [{ uri, name: typeof name === 'string' ? shorter(name, 60) : '' }] : [];
  });
  const list = known.slice(0, LISTED).map(({ uri, name }) => (name && name !== uri ? `${uri} (${name})` : uri));
  return {
    name: uniqueName(`${snakeCase(client.name)}_resource`, new Map()),
    description: shorter(
      `Reads a resource of ${client.name}: one that a result links to${list.length > 0 ? `, or ${list.join(', ')}` : ''}`,
      2000,
    ),
    label: words.resource(client.name),
    parameters: {
      type: 'object',
      properties: { uri: { type: 'string', maxLength: 2000 } },
      required: ['uri'],
      additionalProperties: false,
    },
    untrusted: true,
    ...(options.trusted === true && { risk: 'query' as const }),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    async execute({ uri }, context) {
      const contents = own(await runRemotely(context, words, () => client.readResource(String(uri), context.signal)), 'contents');
      return readResult(
        {
          content: (Array.isArray(contents) ? contents : []).map((one) => ({
            type: 'resource',
            resource: isObject(one) ? one : readContents(one),
          })),
        },
        words,
      );
    },
  };
}
