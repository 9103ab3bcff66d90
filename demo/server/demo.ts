/** Puts the demo together: database, task API, relay, page. `main.ts` runs it from the environment, tests run it with parts of their own. */
import { createRelay, relayOptionsFromEnv } from '../../src/relay/index.js';
import type { Upstream } from '../../src/relay/index.js';
import { scriptedUpstream } from '../../src/scripted-model/index.js';
import { openDatabase } from './database.js';
import type { DocsState } from './docs-build.js';
import type { RequestLog } from './request-log.js';
import { createScriptedServices } from './scripted.js';
import { createSite, listen } from './site.js';
import { createTasksApi } from './tasks-api.js';

export interface DemoOptions {
  /** 0 = any free port. */
  port: number;
  /** Default: both loopback addresses. */
  host?: string | undefined;
  /** `MODEL_…` and the rest of what the relay and the database read. Default: nothing set. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Progress of the documentation's build; `undefined` if none runs. */
  docsState?: (() => DocsState | undefined) | undefined;
  /** Only for tests: sees and disturbs what the task API is asked. */
  log?: RequestLog;
  /** Only for tests: answers instead of a model. */
  upstream?: Upstream;
  /** Milliseconds between two pieces of what the playground's services say. Default 25. */
  delayMs?: number;
}

export interface RunningDemo {
  /** Without a slash at the end. */
  url: string;
  /** `scripted`, or the name of the model. */
  model: string;
  /** `graceMs`: how long answers under way may take to end. Default 0. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** @throws when the port is taken, the database cannot be opened or a variable of the environment cannot be read */
export async function startDemo({ port, host, env = {}, docsState, log, upstream, delayMs }: DemoOptions): Promise<RunningDemo> {
  const relay = relayOptionsFromEnv(env);
  const scripted = relay.baseUrl === undefined;
  const model = scripted ? 'scripted' : (relay.model ?? new URL(relay.baseUrl!).host);
  const answer = upstream ?? (scripted ? scriptedUpstream() : undefined);
  const embeddings = env['EMBEDDINGS_BASE_URL'];
  const ai = createRelay({
    ...relay,
    ...(answer ? { upstream: embeddings ? withEmbeddings(answer) : answer, logger: false } : {}),
    ...(answer && embeddings ? { baseUrl: embeddings } : {}),
  });

  const database = await openDatabase({ url: env['DATABASE_URL'], authToken: env['DATABASE_AUTH_TOKEN'] });
  const tasks = createTasksApi({ database, ...(log ? { log } : {}) });
  const services = createScriptedServices(delayMs === undefined ? {} : { delayMs });
  const pages = createSite({ tasks, ai, scripted: services, model, embeddings: relay.embeddingsModel, docsState });
  const site = await listen(pages, { port, host }).catch((error: unknown) => {
    database.close();
    throw error;
  });
  return {
    url: site.url,
    model,
    async close({ graceMs = 0 } = {}) {
      tasks.changes.close();
      await site.close(ai.close({ graceMs }));
      database.close();
    },
  };
}

/** Vectors come from a model of their own, also where a script answers (`EMBEDDINGS_BASE_URL`, with `MODEL_EMBEDDINGS`). */
function withEmbeddings(answer: Upstream): Upstream {
  return (request, signal) => (request.url.endsWith('/embeddings') ? fetch(request, { signal }) : answer(request, signal));
}
