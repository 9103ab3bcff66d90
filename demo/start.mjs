/** `npm start`: builds the widget if its sources have changed, then runs the demo. It needs no network. */
import { register } from 'tsx/esm/api';
import { buildWidget, isWidgetOutdated } from '../.config/widget.mjs';

if (isWidgetOutdated())
  await buildWidget().catch((error) => {
    console.error(`The widget could not be built: ${error.message}`);
    process.exit(1);
  });

register();
await import('./server/main.ts');
