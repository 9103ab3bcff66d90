/**
 * OpenAPI documents that others wrote, cut down to what makes each special: which requests their calls become, what a prompt tells of them, and
 * what is told of the rest. Calls are read and checked as those of a model are. A new kind is a new entry in `test/fixtures/openapi/*.json`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { en } from '../../src/i18n/en.js';
import type { JsonSchema } from '../../src/model/json-schema.js';
import { renderMethod } from '../../src/protocols/render-tool-docs.js';
import { openApiTools, type OpenApiOptions } from '../../src/toolkits/index.js';
import { coerceArguments } from '../../src/tools/coerce.js';
import { createRegistry } from '../../src/tools/registry.js';
import { parametersOf } from '../../src/tools/schema.js';
import type { ToolDefinition } from '../../src/tools/tool.js';
import { validateArguments } from '../../src/tools/validate.js';

interface Call {
  tool: string;
  args: Record<string, unknown>;
  /** Content type and text. */
  answer?: [string, string];
  url?: string;
  method?: string;
  headers?: Record<string, string | null>;
  body?: string | null;
  form?: [string, string][];
  gives?: unknown;
  /** A part of the sentence. */
  refused?: string;
}

interface Document {
  about: string;
  openapi?: string;
  paths: object;
  components?: object;
  servers?: object[];
  options?: OpenApiOptions;
  tools?: string[];
  arguments?: Record<string, string[]>;
  labels?: Record<string, string>;
  sensitive?: Record<string, string[]>;
  /** Parts of what is told at load, and of what is not. */
  told?: string[];
  silent?: string[];
  /** Parts of the description of all tools. */
  prompt?: string[];
  calls?: Call[];
}

const folder = new URL('../fixtures/openapi/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const nothing = () => undefined;
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const context = { requestId: 'c', sessionId: 's', signal: new AbortController().signal, progress: nothing, logger: quiet };

async function play(tools: ToolDefinition[], { tool: name, args, answer, ...wanted }: Call, sent: Request[]): Promise<void> {
  const tool = tools.find((one) => one.name === name)!;
  sent.length = 0;
  const read = coerceArguments(args, parametersOf(tool), 'schema');
  const checked = await validateArguments(tool, read, en);
  let refused: string | undefined = checked.ok ? undefined : checked.message;
  let gives: unknown;
  if (checked.ok)
    try {
      gives = await tool.execute(checked.output as Record<string, unknown>, context);
    } catch (error) {
      refused = String(error);
    }
  if (wanted.refused !== undefined) return void expect(refused, 'is refused').to.include(wanted.refused);
  expect(refused).to.equal(undefined);
  const { url, method, headers, body } = sent[0]!;
  if (wanted.url !== undefined) expect(url).to.equal(`https://api.test/v1${wanted.url}`);
  if (wanted.method !== undefined) expect(method).to.equal(wanted.method);
  for (const [header, value] of Object.entries(wanted.headers ?? {})) expect(headers.get(header), header).to.equal(value);
  if (wanted.form) expect([...(body as FormData)]).to.deep.equal(wanted.form);
  if (wanted.body !== undefined) expect(body ?? null).to.equal(wanted.body);
  if ('gives' in wanted) expect(gives).to.deep.equal(wanted.gives);
}

interface Request {
  url: string;
  method: string | undefined;
  headers: Headers;
  body?: unknown;
}

describe('OpenAPI documents of others', () => {
  // The words of the log are loaded with its first entry.
  before(() => new Promise((resolve) => void openApiTools({}, { logger: { ...quiet, warn: resolve } })));

  for (const file of files)
    for (const given of JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Document[]) {
      const { about, paths, components, servers = [{ url: 'https://api.test/v1' }], options, calls = [] } = given;
      describe(about, () => {
        const told: string[] = [];
        const sent: Request[] = [];
        let answer: [string, string] = ['application/json', '{}'];
        let tools: ToolDefinition[] = [];
        before(async () => {
          const fetch = ((url: URL, { method, headers, body }: RequestInit = {}) => {
            sent.push({ url: String(url), method, headers: new Headers(headers), body });
            return Promise.resolve(new Response(answer[1], { headers: { 'content-type': answer[0] } }));
          }) as typeof globalThis.fetch;
          const logger = { ...quiet, warn: (message: string) => void told.push(message) };
          const document = { openapi: given.openapi ?? '3.0.3', servers, paths, ...(components && { components }) };
          tools = await openApiTools(document, { baseUrl: options?.auth ? 'https://api.test/v1' : undefined!, ...options, fetch, logger });
          createRegistry().registerAll(tools);
        });

        const named = <T>(map: (tool: ToolDefinition) => T) => Object.fromEntries(tools.map((tool) => [tool.name, map(tool)]));
        const propertiesOf = (tool: ToolDefinition) => Object.keys((tool.parameters as { properties: object }).properties);

        it('gives the tools that can be called, and tells of the others', () => {
          if (given.tools) expect(tools.map(({ name }) => name)).to.deep.equal(given.tools);
          if (given.arguments) expect(named(propertiesOf)).to.deep.equal(given.arguments);
          if (given.labels) expect(named(({ label }) => label)).to.deep.equal(given.labels);
          if (given.sensitive) expect(named(({ sensitive }) => sensitive)).to.deep.equal(given.sensitive);
          for (const part of given.told ?? []) expect(told.join('\n')).to.include(part);
          for (const part of given.silent ?? []) expect(told.join('\n')).to.not.include(part);
          if (!given.told) expect(told).to.deep.equal([]);
          const prompt = tools
            .map(({ name, description, parameters = {} }) =>
              renderMethod({ name, description, parameters: parameters as JsonSchema }, 'en', (_, args) => JSON.stringify(args)),
            )
            .join('\n');
          for (const part of given.prompt ?? []) expect(prompt).to.include(part);
        });

        for (const call of calls)
          it(`${call.tool} ${JSON.stringify(call.args).slice(0, 80)}`, async () => {
            answer = call.answer ?? ['application/json', '{}'];
            await play(tools, call, sent);
          });
      });
    }
});
