/** The site made of these pages; `.config/docs-site.ts` puts them together and builds it. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { anchorOf } from '../../.config/anchors.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const guide = (text: string, name: string) => ({ text, link: `/guides/${name}` });
const page = (text: string, name: string) => ({ text, link: `/${name}` });

const stack = (text: string, name: string) => ({ text, link: `/stacks/${name}` });
const group = (text: string, ...items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem => ({ text, collapsed: true, items });

/** Pages of the folder `demo`, which the site has as they are. */
const live = (text: string, name: string, lang = 'en') => ({ text, link: `/demo/${name}.html?lang=${lang}`, target: '_self' });

const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Get started',
    items: [
      page('Installation', 'installation'),
      guide('Quick start', 'quick-start'),
      page('Connect a model', 'wires'),
      page('Troubleshooting', 'troubleshooting'),
      page('FAQ', 'faq'),
      page('Concepts', 'concepts'),
      page('Glossary', 'glossary'),
    ],
  },
  {
    text: 'Guides',
    items: [
      group(
        'Your stack',
        page('Overview', 'stacks/'),
        stack('Plain HTML', 'html'),
        stack('Express', 'express'),
        stack('Hono', 'hono'),
        stack('Next.js', 'nextjs'),
        stack('Vite + React', 'vite-react'),
        stack('Vue', 'vue'),
        stack('Svelte', 'svelte'),
        stack('Angular', 'angular'),
        stack('Workers', 'workers'),
        guide('Types, Parcel, editors', 'frameworks'),
      ),
      group(
        'Tools and approval',
        page('Tools from what you have', 'hands'),
        guide('OpenAPI', 'bring-your-api'),
        page('MCP', 'mcp'),
        page('WebMCP', 'webmcp'),
        guide('Approval', 'design-approval'),
        page('TypeScript', 'typescript'),
        guide('Test your tools', 'testing-tools'),
        guide('Recipes', 'recipes'),
      ),
      group(
        'Interface',
        guide('Styling', 'looks'),
        page('Theming in depth', 'theming'),
        guide('Accessibility', 'accessibility'),
        page('Answers', 'answers'),
        page('Plans', 'planning'),
      ),
      group('Data', page('Saved conversations', 'storage'), page('Memory', 'memory'), page('Sessions and audit trail', 'sessions')),
      group(
        'Models',
        page('AI SDK backends', 'ai-sdk'),
        page('AG-UI agents', 'ag-ui'),
        guide('Choose a format', 'choose-a-notation'),
        page('Models', 'models'),
        page('Prompts', 'prompts'),
      ),
      group(
        'Deploy',
        page('The relay', 'relay'),
        guide('Self-hosting', 'self-hosting'),
        guide('Content-Security-Policy', 'csp'),
        guide('CDN and SRI', 'cdn'),
        guide('Scaling', 'scaling'),
      ),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Attributes', 'reference/attributes'),
      page('Properties and methods', 'reference/methods'),
      page('Events', 'reference/events'),
      page('Parts, slots, properties', 'reference/styling'),
      page('All options in one table', 'options'),
      page('Policies and presets', 'policies'),
      page('Tool-call formats', 'protocols'),
      page('Error codes', 'error-codes'),
      page('Error handling', 'errors'),
      page('Inspector', 'inspector'),
    ],
  },
  {
    text: 'Project',
    items: [
      page('Security model', 'security'),
      page('Browser support', 'browser-support'),
      guide('Comparison', 'comparison'),
      guide('From deep-chat or n8n chat', 'migration'),
      page('Performance', 'performance'),
      page('Upgrading', 'upgrading'),
      page('Changes', 'changes'),
      page('Architecture', 'architecture'),
      page('Statecharts', 'statecharts'),
      page('Design', 'design'),
    ],
  },
];

const zhPage = (text: string, name: string) => ({ text, link: `/zh/${name}` });

const zhSidebar: DefaultTheme.SidebarItem[] = [
  {
    text: '开始使用',
    items: [
      zhPage('安装', 'installation'),
      zhPage('快速上手', 'guides/quick-start'),
      zhPage('疑难解答', 'troubleshooting'),
      zhPage('常见问题', 'faq'),
    ],
  },
  {
    text: '指南',
    items: [
      group(
        '你的技术栈',
        zhPage('概览', 'stacks/'),
        zhPage('纯 HTML', 'stacks/html'),
        zhPage('Express', 'stacks/express'),
        zhPage('Hono', 'stacks/hono'),
        zhPage('Next.js', 'stacks/nextjs'),
        zhPage('Vite + React', 'stacks/vite-react'),
        zhPage('Vue', 'stacks/vue'),
        zhPage('Svelte', 'stacks/svelte'),
        zhPage('Angular', 'stacks/angular'),
        zhPage('Workers', 'stacks/workers'),
        zhPage('类型、Parcel 与编辑器', 'guides/frameworks'),
      ),
      group(
        '工具与确认',
        zhPage('接入你的 API', 'guides/bring-your-api'),
        zhPage('设计确认流程', 'guides/design-approval'),
        zhPage('测试你的工具', 'guides/testing-tools'),
        zhPage('实用示例', 'guides/recipes'),
      ),
      group('界面', zhPage('样式', 'guides/looks'), zhPage('无障碍', 'guides/accessibility')),
      group('模型', zhPage('选择工具调用格式', 'guides/choose-a-notation')),
      group(
        '部署',
        zhPage('自托管', 'guides/self-hosting'),
        zhPage('内容安全策略', 'guides/csp'),
        zhPage('CDN 与 SRI', 'guides/cdn'),
        zhPage('扩展', 'guides/scaling'),
      ),
    ],
  },
  {
    text: '项目',
    items: [zhPage('对比', 'guides/comparison'), zhPage('从 deep-chat 或 n8n chat 迁移', 'guides/migration')],
  },
];

export default defineConfig({
  title: 'tool-chat',
  description: 'An assistant for any page, with any model, in one script',
  base: process.env['DOCS_BASE'] ?? '/docs/',
  srcDir: `${root}node_modules/.cache/docs-pages`,
  cacheDir: `${root}node_modules/.cache/vitepress`,
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
          { text: 'Your stack', link: '/stacks/' },
          { text: 'Reference', link: '/reference/attributes' },
          live('Live demo', 'live'),
          live('Playground', 'playground'),
        ],
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      link: '/zh/',
      description: '一行脚本，为任何网页接入 AI 助手，支持任何模型',
      themeConfig: {
        sidebar: zhSidebar,
        nav: [
          { text: '快速上手', link: '/zh/guides/quick-start' },
          { text: '你的技术栈', link: '/zh/stacks/' },
          live('在线演示', 'live', 'zh-CN'),
          live('试验场', 'playground', 'zh-CN'),
        ],
        outline: { label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '主题',
        lightModeSwitchTitle: '切换到浅色',
        darkModeSwitchTitle: '切换到深色',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '语言',
      },
    },
  },
});
