/** `node --import tsx demo/server/main.ts`: runs the demo until it is told to stop. */
import { startDemo, type RunningDemo } from './demo.js';
import { createDocsBuild } from './docs-build.js';

const port = Number(process.env['PORT'] || 5173);
const docs = createDocsBuild();

try {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new RangeError(`PORT is "${process.env['PORT']}"`);
  const demo = await startDemo({ port, host: process.env['HOST'] || undefined, env: process.env, docsState: docs.state });
  const model = demo.model === 'scripted' ? 'scripted model, no AI; set MODEL_BASE_URL for a real one' : `model: ${demo.model}`;
  console.log(`tool-chat demo: ${demo.url} (${model})`);
  closeOnSignals(demo);
  await buildDocs(demo);
} catch (error) {
  console.error(explained(error));
  process.exitCode = 1;
}

function closeOnSignals(demo: RunningDemo): void {
  // A person who presses Ctrl+C waits for the end; a service manager lets open answers finish.
  for (const [signal, graceMs] of [
    ['SIGINT', 0],
    ['SIGTERM', 30_000],
  ] as const) {
    process.once(signal, () => {
      docs.stop();
      void demo.close({ graceMs }).then(() => process.exit(0));
    });
  }
}

/** The pages come after the demo can be used; until then `/docs` shows how far the build is. */
async function buildDocs({ url }: RunningDemo): Promise<void> {
  try {
    const seconds = await docs.build();
    if (seconds !== undefined) console.log(`Documentation: ${url}/docs (built in ${seconds} s)`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`The documentation could not be built (${reason}). The demo works without it; "npm run docs" shows why.`);
  }
}

/** One sentence for the mistakes that a first start can meet, or the error itself. */
function explained(error: unknown): unknown {
  if (error instanceof RangeError && error.message.startsWith('PORT')) return `${error.message}. Use a number, e.g. PORT=8080 npm start`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Choose another: PORT=${port + 1} npm start`;
  if (code === 'EACCES') return `Port ${port} needs more rights than you have. Choose another: PORT=8080 npm start`;
  return error;
}
