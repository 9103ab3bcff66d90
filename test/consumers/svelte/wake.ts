/** What the browser loads after the page was shown. */
import { hydrate } from 'svelte';
import 'tool-chat/svelte';
import App from './app.svelte';

const target = document.querySelector('#app');
if (target) hydrate(App, { target });
