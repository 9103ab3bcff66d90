/** An MCP server behind OAuth, as strict as the specifications allow: it refuses what is missing, and notes every header that it gets. */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listen, originOf } from '../helpers/http-server.js';
import { modern } from './servers.js';

export type OauthServer = Awaited<ReturnType<typeof oauthServer>>;

export interface OauthServerOptions {
  registers?: boolean;
  /** Replaces what is said of the authorization server, or of the MCP server. */
  metadata?: Record<string, unknown>;
  about?: Record<string, unknown>;
  /** `false`: a 401 does not say where that is. */
  tells?: boolean;
  /** Where a 401 says that it is. */
  describedAt?: string;
}

const ALLOWED = 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id';

export async function oauthServer(options: OauthServerOptions = {}) {
  const { registers = true, tells = true } = options;
  const asked: string[] = [];
  /** All headers and bodies that the authorization server got. */
  const atIssuer: string[] = [];
  const tokens: string[] = [];
  const clients = new Map<string, string[]>([['known-page', []]]);
  const codes = new Map<string, Record<string, string>>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let says: 'yes' | 'no' = 'yes';

  const issuerServer = await answering(async (request, response, body) => {
    const url = new URL(request.url ?? '/', issuer);
    const form = new URLSearchParams(body);
    asked.push(`${request.method ?? ''} ${url.pathname}${form.has('grant_type') ? ` ${form.get('grant_type') ?? ''}` : ''}`);
    atIssuer.push(JSON.stringify(request.headers), body);
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return json(response, {
        ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ code_challenge_methods_supported: ['S256'], authorization_response_iss_parameter_supported: true },
        ...(registers && { registration_endpoint: `${issuer}/register` }),
        ...options.metadata,
      });
    if (url.pathname === '/register') {
      const id = randomUUID();
      clients.set(id, (JSON.parse(body) as { redirect_uris: string[] }).redirect_uris);
      return json(response, { client_id: id }, 201);
    }
    if (url.pathname === '/authorize') {
      const query = Object.fromEntries(url.searchParams);
      const expected = { code_challenge_method: 'S256', resource: mcp, response_type: 'code' };
      const right = query['state'] && Object.entries(expected).every(([name, value]) => query[name] === value);
      const uris = clients.get(query['client_id'] ?? '');
      if (!right || !uris || (uris.length > 0 && !uris.includes(query['redirect_uri'] ?? '')))
        return json(response, { error: 'invalid_request' }, 400);
      const back = new URL(query['redirect_uri'] ?? '');
      back.searchParams.set('state', query['state'] ?? '');
      back.searchParams.set('iss', issuer);
      if (says === 'no') back.searchParams.set('error', 'access_denied');
      else {
        const code = randomUUID();
        codes.set(code, query);
        back.searchParams.set('code', code);
      }
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname !== '/token') return json(response, { error: 'not_found' }, 404);
    if (form.get('resource') !== mcp) return json(response, { error: 'invalid_target' }, 400);
    if (form.get('grant_type') === 'authorization_code') {
      const query = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const verifier = form.get('code_verifier') ?? '';
      const right =
        query?.['code_challenge'] === createHash('sha256').update(verifier).digest('base64url') &&
        ['client_id', 'redirect_uri'].every((name) => query[name] === form.get(name));
      if (!right) return json(response, { error: 'invalid_grant' }, 400);
    } else if (!refresh.delete(form.get('refresh_token') ?? '')) return json(response, { error: 'invalid_grant' }, 400);
    const [token, next] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.add(token);
    refresh.add(next);
    return json(response, { access_token: token, token_type: 'Bearer', expires_in: 3600, refresh_token: next });
  });

  const mcpServer = await answering((request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', mcp);
    if (request.method === 'GET') asked.push(`GET ${pathname}`);
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: mcp, authorization_servers: [issuer], scopes_supported: ['tasks'], ...options.about });
    if (pathname !== '/mcp') return json(response, { error: 'not_found' }, 404);
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token) tokens.push(token);
    if (!token || !access.has(token)) {
      const at = options.describedAt ?? `${new URL(mcp).origin}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader('www-authenticate', tells ? `Bearer error="invalid_token", resource_metadata="${at}"` : 'Bearer');
      return json(response, { error: 'unauthorized' }, 401);
    }
    const { id, method, params } = (body ? JSON.parse(body) : {}) as { id?: unknown; method?: string; params?: { name?: string } };
    const tools = [{ name: 'whoami', description: 'Says who is signed in.', inputSchema: { type: 'object' } }];
    const results: Record<string, unknown> = {
      'server/discover': modern({ tools: {} }, 'Guarded')['server/discover'](),
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: `${params?.name ?? ''}: Ann` }] },
    };
    return json(response, { jsonrpc: '2.0', id, result: results[method ?? ''] ?? {} });
  });
  const issuer = originOf(issuerServer);
  const mcp = `${originOf(mcpServer)}/mcp`;

  return {
    ...{ url: mcp, issuer, asked, atIssuer, tokens },
    /** From now on no token counts; with `refresh` neither do those for renewing. */
    revoke({ refresh: all = false } = {}) {
      access.clear();
      if (all) refresh.clear();
    },
    refuse: () => void (says = 'no'),
    stop: async () => {
      for (const server of [issuerServer, mcpServer]) await closeServer(server);
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

const answering = (handler: Handler) =>
  listen((request, response) => {
    void (async () => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-expose-headers', 'www-authenticate, mcp-session-id');
      if (request.method === 'OPTIONS')
        return response
          .writeHead(204, { 'access-control-allow-headers': ALLOWED, 'access-control-allow-methods': 'GET, POST, DELETE' })
          .end();
      return handler(request, response, await text(request));
    })();
  });

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
