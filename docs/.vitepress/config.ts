/** The site made of these pages; `.config/docs-site.ts` puts them together and builds it. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { anchorOf } from '../../.config/anchors.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const guide = (text: string, name: string) => ({ text, link: `/guides/${name}` });
const page = (text: string, name: string) => ({ text, link: `/${name}` });

const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Guides',
    items: [
      guide('Quick start', 'quick-start'),
      guide('Bring your API', 'bring-your-api'),
      guide('Choose a notation', 'choose-a-notation'),
      guide('Design approval', 'design-approval'),
      guide('Content-Security-Policy', 'csp'),
      guide('CDN and SRI', 'cdn'),
      guide('Your looks', 'looks'),
      guide('Host it yourself', 'self-hosting'),
      guide('Many visitors', 'scaling'),
      guide('Test your tools', 'testing-tools'),
      guide('React, Vue, Svelte, editors', 'frameworks'),
      guide('Accessibility', 'accessibility'),
      guide('Recipes', 'recipes'),
      guide('From deep-chat or n8n chat', 'migration'),
      guide('Beside other widgets', 'comparison'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Attributes', 'reference/attributes'),
      page('Properties and methods', 'reference/methods'),
      page('Events', 'reference/events'),
      page('Parts, slots, properties', 'reference/styling'),
      page('Options in one table', 'options'),
      page('Error codes', 'error-codes'),
    ],
  },
  {
    text: 'In depth',
    items: [
      page('Hands: tools from what you have', 'hands'),
      page('Protocols', 'protocols'),
      page('Wires', 'wires'),
      page('Models', 'models'),
      page('Prompts', 'prompts'),
      page('Policies, grants, undo', 'policies'),
      page('Errors', 'errors'),
      page('Answers', 'answers'),
      page('Storage', 'storage'),
      page('Sessions', 'sessions'),
      page('Inspector', 'inspector'),
      page('Memory', 'memory'),
      page('Plans', 'planning'),
      page('The relay', 'relay'),
      page('Security', 'security'),
      page('Theming', 'theming'),
    ],
  },
  {
    text: 'The house',
    items: [
      page('Design', 'design'),
      page('Architecture', 'architecture'),
      page('Performance', 'performance'),
      page('Upgrading', 'upgrading'),
      page('Changes', 'changes'),
    ],
  },
];

const zhGuide = (text: string, name: string) => ({ text, link: `/zh/guides/${name}` });

const zhSidebar: DefaultTheme.SidebarItem[] = [
  {
    text: '指南',
    items: [
      zhGuide('快速上手', 'quick-start'),
      zhGuide('接上你的 API', 'bring-your-api'),
      zhGuide('选择写法', 'choose-a-notation'),
      zhGuide('设计确认', 'design-approval'),
      zhGuide('内容安全策略', 'csp'),
      zhGuide('CDN 与 SRI', 'cdn'),
      zhGuide('外观', 'looks'),
      zhGuide('自己托管', 'self-hosting'),
      zhGuide('很多访客', 'scaling'),
      zhGuide('测试你的工具', 'testing-tools'),
      zhGuide('React、Vue、Svelte 与编辑器', 'frameworks'),
      zhGuide('无障碍', 'accessibility'),
      zhGuide('常用做法', 'recipes'),
      zhGuide('从 deep-chat 或 n8n chat 迁移', 'migration'),
      zhGuide('与其他组件比较', 'comparison'),
    ],
  },
];

export default defineConfig({
  title: 'tool-chat',
  description: 'An assistant for any page, with any model, in one script',
  base: process.env['DOCS_BASE'] ?? '/docs/',
  srcDir: `${root}node_modules/.cache/docs-pages`,
  cacheDir: `${root}node_modules/.cache/vitepress`,
  cleanUrls: true,
  // The pages are copied before: a date of a file says nothing.
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    // Shown code may hold `{{tools}}`, which is nobody's variable here.
    config(markdown) {
      const { code_inline: inline } = markdown.renderer.rules;
      if (inline) markdown.renderer.rules.code_inline = (...given) => inline(...given).replace('<code', '<code v-pre');
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('tool-chat') } } },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
              modal: {
                noResultsText: '没有找到',
                resetButtonTitle: '清除',
                footer: { selectText: '打开', navigateText: '切换', closeText: '关闭' },
              },
            },
          },
        },
        // A sentence in Chinese has no blanks: words are what the browser says they are.
        miniSearch: {
          options: {
            tokenize: (text) =>
              Array.from(new Intl.Segmenter('zh', { granularity: 'word' }).segment(text), ({ segment }) => segment.trim()).filter((word) =>
                /[\p{L}\p{N}]/u.test(word),
              ),
          },
        },
      },
    },
    outline: { level: [2, 3] },
  },
  locales: {
    root: {
      label: 'English',
      lang: 'en',
      themeConfig: {
        sidebar,
        nav: [
          { text: 'Quick start', link: '/guides/quick-start' },
          { text: 'Attributes', link: '/reference/attributes' },
        ],
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      description: '一行脚本，任何模型，给任何网页的助手',
      themeConfig: {
        sidebar: zhSidebar,
        nav: [{ text: '快速上手', link: '/zh/guides/quick-start' }],
        outline: { label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        lightModeSwitchTitle: '浅色',
        darkModeSwitchTitle: '深色',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '语言',
      },
    },
  },
  vite: { resolve: { alias: { 'tool-chat/scripted-model': `${root}src/scripted-model/index.ts` } } },
});
