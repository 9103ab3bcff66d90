/** An MCP server behind OAuth, as strict as the specifications allow: it refuses what is missing, and notes every header that it gets. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OauthServer {
  /** Of the MCP server. */
  url: string;
  /** Of the authorization server: another origin. */
  issuer: string;
  /** What was asked for where: `POST /token refresh_token`. */
  readonly asked: string[];
  /** All headers and bodies that the authorization server got. */
  readonly atIssuer: string[];
  /** Every bearer token that the MCP server got. */
  readonly tokens: string[];
  /** From now on no token counts; with `refresh` neither do those for renewing. */
  revoke(how?: { refresh?: boolean }): void;
  /** The person says no, from now on. */
  refuse(): void;
  stop(): Promise<void>;
}

export interface OauthServerOptions {
  /** `false`: pages cannot register. */
  registers?: boolean;
  /** In place of what is said of the authorization server. */
  metadata?: Record<string, unknown>;
  /** In place of what is said of the MCP server. */
  about?: Record<string, unknown>;
  /** `false`: a 401 does not say where that stands. */
  tells?: boolean;
  /** The answer names another issuer. */
  iss?: string;
}

const ALLOWED = 'content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id';

export async function oauthServer(options: OauthServerOptions = {}): Promise<OauthServer> {
  const { registers = true, tells = true } = options;
  const asked: string[] = [];
  const atIssuer: string[] = [];
  const tokens: string[] = [];
  const clients = new Map<string, string[]>([['known-page', []]]);
  const codes = new Map<string, Record<string, string>>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let says: 'yes' | 'no' = 'yes';

  const issuerServer = await listen(async (request, response, body) => {
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
      const right =
        query['code_challenge_method'] === 'S256' && query['resource'] === mcp && query['state'] && query['response_type'] === 'code';
      const uris = clients.get(query['client_id'] ?? '');
      if (!right || !uris || (uris.length > 0 && !uris.includes(query['redirect_uri'] ?? '')))
        return json(response, { error: 'invalid_request' }, 400);
      const back = new URL(query['redirect_uri'] ?? '');
      back.searchParams.set('state', query['state'] ?? '');
      back.searchParams.set('iss', options.iss ?? issuer);
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
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const right =
        query?.['code_challenge'] === challenge &&
        query['client_id'] === form.get('client_id') &&
        query['redirect_uri'] === form.get('redirect_uri');
      if (!right) return json(response, { error: 'invalid_grant' }, 400);
    } else if (!refresh.delete(form.get('refresh_token') ?? '')) return json(response, { error: 'invalid_grant' }, 400);
    const [token, next] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    access.add(token);
    refresh.add(next);
    return json(response, { access_token: token, token_type: 'Bearer', expires_in: 3600, refresh_token: next });
  });

  const mcpServer = await listen((request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', mcp);
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: mcp, authorization_servers: [issuer], scopes_supported: ['tasks'], ...options.about });
    if (pathname !== '/mcp') return json(response, { error: 'not_found' }, 404);
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1];
    if (token) tokens.push(token);
    if (!token || !access.has(token)) {
      const at = `${new URL(mcp).origin}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader('www-authenticate', tells ? `Bearer error="invalid_token", resource_metadata="${at}"` : 'Bearer');
      return json(response, { error: 'unauthorized' }, 401);
    }
    const { id, method, params } = (body ? JSON.parse(body) : {}) as { id?: unknown; method?: string; params?: { name?: string } };
    const tools = [{ name: 'whoami', description: 'Says who is signed in.', inputSchema: { type: 'object' } }];
    const results: Record<string, unknown> = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'Guarded' } },
      },
      'tools/list': { tools },
      'tools/call': { content: [{ type: 'text', text: `${params?.name ?? ''}: Ann` }] },
    };
    return json(response, { jsonrpc: '2.0', id, result: results[method ?? ''] ?? {} });
  });
  const issuer = origin(issuerServer);
  const mcp = `${origin(mcpServer)}/mcp`;

  return {
    ...{ url: mcp, issuer, asked, atIssuer, tokens },
    revoke({ refresh: all = false } = {}) {
      access.clear();
      if (all) refresh.clear();
    },
    refuse: () => void (says = 'no'),
    async stop() {
      for (const server of [issuerServer, mcpServer]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

async function listen(handler: Handler) {
  const server = createServer((request, response) => {
    void (async () => {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-expose-headers', 'www-authenticate, mcp-session-id');
      if (request.method === 'OPTIONS')
        return response
          .writeHead(204, { 'access-control-allow-headers': ALLOWED, 'access-control-allow-methods': 'GET, POST, DELETE' })
          .end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      return handler(request, response, Buffer.concat(chunks).toString());
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const origin = (server: { address(): unknown }) => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
