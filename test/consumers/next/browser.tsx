/** What the browser loads after the page was shown. */
import { hydrateRoot } from 'react-dom/client';
import { Page } from './page.tsx';

hydrateRoot(document, <Page />, {
  onRecoverableError(error) {
    console.error(error);
  },
});
