/**
 * An MCP server behind the OAuth of the MCP TypeScript SDK: its router, its demo provider, its bearer check; all of it comes with
 * server-everything. Prints its address.
 */
import express from 'express';
import { z } from 'zod';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { mcpAuthRouter, getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js';

const app = express();
const server = app.listen(0, '127.0.0.1', () => {
  const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);
  const issuerUrl = new URL(url.origin);
  const provider = new DemoInMemoryAuthProvider((resource) => resource?.href === url.href);
  app.use(express.json());
  app.use(mcpAuthRouter({ provider, issuerUrl, resourceServerUrl: url, scopesSupported: ['tools'] }));
  const guard = requireBearerAuth({ verifier: provider, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url) });
  app.all('/mcp', guard, async (request, response) => {
    const mcp = new McpServer({ name: 'kit', version: '1' });
    mcp.registerTool('whoami', { description: 'Says who is signed in.', inputSchema: { as: z.string().optional() } }, () => ({
      content: [{ type: 'text', text: `you are ${request.auth.clientId}` }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  console.log(url.href);
});
