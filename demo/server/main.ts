/** `node --import tsx demo/server/main.ts`: runs the demo until it is told to stop. */
import { startDemo } from './demo.js';

const port = Number(process.env['PORT'] || 5173);

try {
  const demo = await startDemo({ port, host: process.env['HOST'] || undefined, env: process.env });
  const model = demo.model === 'scripted' ? 'scripted model, no AI; set MODEL_BASE_URL for a real one' : `model: ${demo.model}`;
  console.log(`tool-chat demo: ${demo.url} (${model})`);
  // Ctrl+C is somebody who waits; a service manager lets the answers under way end.
  for (const [signal, graceMs] of [
    ['SIGINT', 0],
    ['SIGTERM', 30_000],
  ] as const) {
    process.once(signal, () => {
      void demo.close({ graceMs }).then(() => process.exit(0));
    });
  }
} catch (error) {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  console.error(taken ? `Port ${port} is in use. Choose another: PORT=${port + 1} npm start` : error);
  process.exitCode = 1;
}
