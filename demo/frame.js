/**
 * Shared by the pages of the demo: language, the header with links to the other pages, the choice of model, and the sources of the page.
 * A page calls `openPage` first and has its texts in place; the rest of its file is about the page.
 */
import { element } from './dom.js';
import { pageLanguage, switchLanguage } from './page-texts.js';

/** Every page of the demo: its address, and its name in the header. */
const PAGES = [
  ['/', { en: 'Tasks', zh: '任务' }],
  ['/links', { en: 'Links', zh: '链接' }],
  ['/files', { en: 'Files', zh: '文件' }],
  ['/research', { en: 'Research', zh: '研究' }],
  ['/shop', { en: 'Shop', zh: '商店' }],
  ['/two', { en: 'Two chats', zh: '两个对话' }],
  ['/strict', { en: 'Strict policy', zh: '严格策略' }],
  ['/playground', { en: 'Playground', zh: '试验场' }],
  ['/tool-calling-tester', { en: 'Tester', zh: '测试器' }],
  ['/docs/', { en: 'Docs', zh: '文档' }],
];

const WORDS = {
  en: {
    pages: 'Pages of the demo',
    source: 'The source of this page',
    sourceNote: 'All of it, as your browser has it. No build step, no framework.',
    scripted: 'Scripted model — no AI, works offline',
    model: (name) => `Model: ${name}`,
    skip: 'Skip to the page',
    failed: 'The file could not be loaded',
  },
  zh: {
    pages: '演示页面',
    source: '本页源代码',
    sourceNote: '全部代码，与浏览器得到的一样。没有构建步骤，也没有框架。',
    scripted: '脚本模型——不是 AI，可离线使用',
    model: (name) => `模型：${name}`,
    skip: '跳到页面内容',
    failed: '文件加载失败',
  },
};

/**
 * @param {{ texts: { en: object, zh: object }, sources: string[], at?: string }} page
 * `texts`: what elements with `data-text` and `data-text-label` show. `sources`: files of this page. `at`: its address in the list, where it is one of several.
 * @returns `{ lang, text }`: `en` or `zh-CN`, and the texts of that language
 */
export function openPage({ texts, sources, at = location.pathname }) {
  const lang = pageLanguage();
  const short = lang === 'en' ? 'en' : 'zh';
  const text = texts[short];
  const words = WORDS[short];
  document.documentElement.lang = lang;
  document.title = text.title;
  for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
  for (const node of document.querySelectorAll('[data-text-label]')) node.setAttribute('aria-label', text[node.dataset.textLabel]);

  const language = element('a', { class: 'language' });
  switchLanguage(language, lang);
  document
    .querySelector('#frame')
    .append(
      element('a', { class: 'skip', href: '#page' }, words.skip),
      element(
        'a',
        { class: 'brand', href: `/?lang=${lang}`, 'aria-label': 'tool-chat' },
        element('img', { src: '/icon.svg', alt: '', width: 26, height: 26 }),
        element('span', {}, 'tool-chat'),
      ),
      createPageList(short, at),
      language,
    );
  document.querySelector('#sources')?.append(createSources(sources, words));
  void sayWhoAnswers(words);
  placeChat();
  return { lang, text };
}

/** Links to all pages, the one that is shown marked and in sight. */
export function createPageList(short, at) {
  const lang = short === 'en' ? 'en' : 'zh-CN';
  const links = PAGES.map(([path, names]) => {
    const link = element('a', { href: path === '/docs/' ? path : `${path}?lang=${lang}` }, names[short]);
    if (path === at) link.setAttribute('aria-current', 'page');
    return element('li', {}, link);
  });
  const list = element('nav', { class: 'pages', 'aria-label': WORDS[short].pages }, element('ul', {}, ...links));
  // On a phone the list is wider than the window.
  requestAnimationFrame(() => {
    const here = list.querySelector('[aria-current]');
    if (here) list.scrollLeft = here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2;
  });
  return list;
}

/** Nobody should take the scripted model for an AI. */
async function sayWhoAnswers(words) {
  const note = document.querySelector('#model-note');
  if (!note) return;
  const { model } = await fetch('/api/demo/info')
    .then((response) => response.json())
    .catch(() => ({})); // without an answer nothing is claimed
  if (!model) return;
  note.textContent = model === 'scripted' ? words.scripted : words.model(model);
  note.classList.toggle('scripted', model === 'scripted');
  note.hidden = false;
}

/** Beside the page where there is room, a button in the corner where there is not. `data-stays` = in its place on every screen. */
function placeChat() {
  const wide = matchMedia('(min-width: 900px)');
  const place = () => {
    for (const chat of document.querySelectorAll('tool-chat:not([data-stays])'))
      chat.setAttribute('layout', wide.matches ? 'inline' : 'floating');
  };
  wide.addEventListener('change', place);
  place();
}

function createSources(files, words) {
  const shown = element('pre', { tabIndex: 0, 'aria-label': words.source });
  const tabs = files.map((file) => {
    const tab = element('button', { type: 'button', onclick: () => show(tab, file) }, file);
    return tab;
  });
  const show = async (tab, file) => {
    for (const other of tabs) other.setAttribute('aria-pressed', String(other === tab));
    const source = await fetch(`/${file}`)
      .then((response) => (response.ok ? response.text() : words.failed))
      .catch(() => words.failed);
    if (tab.getAttribute('aria-pressed') === 'true') shown.textContent = source;
  };
  const panel = element(
    'details',
    { class: 'sources' },
    element('summary', {}, words.source),
    element('p', { class: 'hint' }, words.sourceNote),
    element('div', { class: 'files', role: 'group' }, ...tabs),
    shown,
  );
  panel.addEventListener('toggle', () => {
    if (panel.open && !shown.textContent) void show(tabs[0], files[0]);
  });
  return panel;
}
