/** What runs on the server: writes the page's part as HTML. */
import { render } from 'svelte/server';
import App from './app.svelte';

const { body } = await render(App);
console.log(body);
