/**
 * A collection of links with tags. The model writes a call as a JSON code block (`preset="json-block"`: one call in a reply, and the reply
 * ends with it). Texts and tools are in `links-tools.js`; what is here is the page.
 */
import { element, icon, reconcile } from './dom.js';
import { openPage } from './frame.js';
import { createKept } from './kept.js';
import { createLinkTools, linkTexts } from './links-tools.js';

const { lang, text } = openPage({ texts: linkTexts, sources: ['links.html', 'links.js', 'links-tools.js', 'frame.js'] });
const kept = createKept(`links-${lang}`, () => ({ links: text.sampleLinks, tags: text.sampleTags }));
/** The tag whose links are shown; undefined = all. */
let chosen;

// --- The assistant -----------------------------------------------------------------------------------------------------

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);

(window.toolChat ??= []).push((chat) => {
  for (const tool of createLinkTools({ kept, text })) chat.registerTool(tool);
});

// --- The page ----------------------------------------------------------------------------------------------------------

const tags = document.querySelector('#tags');
const links = document.querySelector('#links');

kept.listen(function draw() {
  const all = kept.read();
  if (!all.tags.includes(chosen)) chosen = undefined;
  reconcile(tags, all.tags, {
    key: (tag) => tag,
    create: (tag) =>
      element(
        'li',
        {},
        element('button', {
          class: 'tag',
          type: 'button',
          textContent: tag,
          onclick() {
            chosen = chosen === tag ? undefined : tag;
            draw();
          },
        }),
      ),
    update: (node, tag) => node.firstChild.setAttribute('aria-pressed', String(tag === chosen)),
  });
  const shown = all.links.filter((link) => chosen === undefined || link.tags.includes(chosen));
  reconcile(links, shown, {
    key: ({ url }) => url,
    create(link) {
      const drop = element('button', { class: 'drop', type: 'button', 'aria-label': text.drop(link.title) }, icon('trash'));
      drop.addEventListener('click', () => {
        const now = kept.read();
        kept.write({ ...now, links: now.links.filter(({ url }) => url !== link.url) });
      });
      const name = element('a', { class: 'name', href: link.url, rel: 'noreferrer', textContent: link.title });
      return element('li', {}, element('div', { class: 'grow' }, name, element('small')), drop);
    },
    update(node, link) {
      node.querySelector('small').textContent = [new URL(link.url).host, ...link.tags.map((tag) => `#${tag}`)].join('  ');
    },
  });
  document.querySelector('#tag-count').textContent = all.tags.length;
  document.querySelector('#link-count').textContent = shown.length;
  document.querySelector('#empty').hidden = shown.length > 0;
});

const form = document.querySelector('#add-tag');
form.elements.tag.placeholder = text.newTag;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const tag = form.elements.tag.value.trim();
  const now = kept.read();
  if (tag && !now.tags.includes(tag)) kept.write({ ...now, tags: [...now.tags, tag] });
  form.reset();
});
