/** What the browser loads after the page was shown. */
import { createSSRApp } from 'vue';
import 'tool-chat/vue';
import App from './app.vue';

createSSRApp(App).mount('#app');
