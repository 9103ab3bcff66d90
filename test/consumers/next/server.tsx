/** What runs on the server: writes the page as HTML. */
import { renderToString } from 'react-dom/server';
import { Page } from './page.tsx';

const html = renderToString(<Page />);
process.stdout.write(`<!doctype html>${html.replace('</body>', '<script type="module" src="browser.js"></script></body>')}`);
