import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import TryIt from './TryIt.vue';
import './brand.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('TryIt', TryIt);
  },
} satisfies Theme;
