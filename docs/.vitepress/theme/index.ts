import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import LiveExample from './LiveExample.vue';
import TryIt from './TryIt.vue';
import './brand.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('TryIt', TryIt);
    app.component('LiveExample', LiveExample);
  },
} satisfies Theme;
