/** `npm start`: builds the widget if its sources have changed, then runs the demo. It needs no network. */
import { buildWidget, isInstalled, isWidgetOutdated } from '../.config/widget.mjs';

if (!isInstalled()) end('Run "npm install" first.');
if (isWidgetOutdated()) await buildWidget().catch((error) => end(`The widget could not be built: ${error.message}`));

const { register } = await import('tsx/esm/api');
register();
await import('./server/main.ts');

function end(sentence) {
  console.error(sentence);
  process.exit(1);
}
