/** What runs on the server: writes the page's part as HTML. */
import { createSSRApp } from 'vue';
import { renderToString } from 'vue/server-renderer';
import App from './app.vue';

console.log(await renderToString(createSSRApp(App)));
