/** Behind the playground: for each wire a service that speaks it, with the scripted model inside. No network, no key. */
import { Hono } from 'hono';
import { scriptedEndpoint, scriptedWireIds } from '../../src/scripted-model/index.js';
import type { ScriptedModelOptions } from '../../src/scripted-model/index.js';

/** Answers `POST /api/scripted/{wire}/…`; what follows the wire is the path that such a service has. */
export function createScriptedServices(options: ScriptedModelOptions = {}): (request: Request) => Promise<Response> {
  const app = new Hono();
  for (const wire of scriptedWireIds) {
    const answer = scriptedEndpoint(wire, options);
    app.post(`/api/scripted/${wire}/*`, (c) => answer(c.req.raw, c.req.raw.signal));
  }
  app.notFound((c) => c.json({ error: 'There is no such service' }, 404));
  return async (request) => app.fetch(request);
}
