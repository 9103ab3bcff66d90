import { createApp } from 'vue';
import 'tool-chat/vue';
import App from './app.vue';

createApp(App).mount('#app');
