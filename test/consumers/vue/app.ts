import { createApp } from 'vue';
import 'tool-chat/define';
import App from './app.vue';

createApp(App).mount('#app');
