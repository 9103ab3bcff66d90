/** The tools of the assistant for links, and all texts of the page. */

const toList = (links) => links.map(({ title, url, tags }) => `- [${title}](${url}) ${tags.map((tag) => `#${tag}`).join(' ')}`).join('\n');

const en = {
  title: 'Links',
  intro:
    'A small collection of bookmarks with tags, kept in this browser. Here the model writes each call as a JSON code block, one to a reply; removing a link asks first.',
  assistant: 'Link assistant',
  placeholder: 'Ask about your links…',
  quickCommands: ['List all links', 'Add a tag test', 'Delete the link "Can I use"'],
  systemPrompt: 'You look after a collection of links.\n\n{{tools}}',
  tags: 'Tags',
  links: 'Links',
  newTag: 'New tag…',
  addTag: 'Add tag',
  empty: 'No links here.',
  drop: (title) => `Remove “${title}”`,
  sampleTags: ['web', 'reading'],
  sampleLinks: [
    { title: 'MDN Web Docs', url: 'https://developer.mozilla.org/', tags: ['web'] },
    { title: 'Can I use', url: 'https://caniuse.com/', tags: ['web'] },
    { title: 'Project Gutenberg', url: 'https://www.gutenberg.org/', tags: ['reading'] },
  ],
  list: ['List links', 'Lists all links with their tags.'],
  listTags: ['List tags', 'Lists all tags.'],
  addTagTool: ['Add tag', 'Adds a tag.'],
  addLink: ['Add link', 'Adds a link.'],
  deleteLink: ['Delete link', 'Deletes a link for good.'],
  tagName: 'Name of the tag',
  linkTitle: 'Title of the link',
  linkUrl: 'Address, beginning with https://',
  listed: (links) => (links.length === 0 ? 'There are no links' : `${links.length} links:\n\n${toList(links)}`),
  listedTags: (names) => `Tags: ${names.join(', ')}`,
  tagAdded: (tag) => `Tag “${tag}” added`,
  tagThere: (tag) => `There is a tag “${tag}” already`,
  linkAdded: (title) => `Link “${title}” added`,
  noAddress: (url) => `${url} is no web address`,
  linkThere: (title) => `This address is there already: “${title}”`,
  deleteSentence: (title) => `Delete the link “${title}”`,
  addTagSentence: (tag) => `Add the tag “${tag}”`,
  addLinkSentence: (title) => `Add the link “${title}”`,
  deleted: (title) => `Link “${title}” deleted`,
  noLink: (title) => `There is no link “${title}”`,
  verbs: { allow: 'Delete link', deny: 'Keep it' },
  address: 'Address',
};

const zh = {
  title: '链接',
  intro: '一个带标签的小书签夹，保存在这个浏览器里。在这里，模型把每次调用写成一个 JSON 代码块，每条回复只有一个；删除链接前会先询问。',
  assistant: '链接助手',
  placeholder: '想对链接做什么？',
  quickCommands: ['列出所有链接', '添加一个标签 test', '删除链接「Can I use」'],
  systemPrompt: '你负责管理一组链接。\n\n{{tools}}',
  tags: '标签',
  links: '链接',
  newTag: '新标签……',
  addTag: '添加标签',
  empty: '这里没有链接。',
  drop: (title) => `删除「${title}」`,
  sampleTags: ['网页', '阅读'],
  sampleLinks: [
    { title: 'MDN Web Docs', url: 'https://developer.mozilla.org/', tags: ['网页'] },
    { title: 'Can I use', url: 'https://caniuse.com/', tags: ['网页'] },
    { title: '古登堡计划', url: 'https://www.gutenberg.org/', tags: ['阅读'] },
  ],
  list: ['查看链接', '列出所有链接和它们的标签。'],
  listTags: ['查看标签', '列出所有标签。'],
  addTagTool: ['添加标签', '添加一个标签。'],
  addLink: ['添加链接', '添加一个链接。'],
  deleteLink: ['删除链接', '永久删除链接。'],
  tagName: '标签的名称',
  linkTitle: '链接的标题',
  linkUrl: '地址，以 https:// 开头',
  listed: (links) => (links.length === 0 ? '还没有链接' : `共 ${links.length} 个链接：\n\n${toList(links)}`),
  listedTags: (names) => `标签：${names.join('、')}`,
  tagAdded: (tag) => `已添加标签「${tag}」`,
  tagThere: (tag) => `已经有标签「${tag}」`,
  linkAdded: (title) => `已添加链接「${title}」`,
  noAddress: (url) => `${url} 不是网址`,
  linkThere: (title) => `这个地址已经有了：「${title}」`,
  deleteSentence: (title) => `删除链接「${title}」`,
  addTagSentence: (tag) => `添加标签「${tag}」`,
  addLinkSentence: (title) => `添加链接「${title}」`,
  deleted: (title) => `已删除链接「${title}」`,
  noLink: (title) => `没有链接「${title}」`,
  verbs: { allow: '删除链接', deny: '保留' },
  address: '地址',
};

export const linkTexts = { en, zh };

/** @param {{ kept: ReturnType<typeof import('./kept.js').createKept>, text: typeof en }} page */
export function createLinkTools({ kept, text }) {
  const named = ([label, description]) => ({ label, description });
  const words = (description) => ({ type: 'string', minLength: 1, maxLength: 80, description });
  const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
  const find = (title) => kept.read().links.find((link) => link.title.toLowerCase() === title.trim().toLowerCase() || link.url === title);
  const done = (message, data) => ({ success: true, message, ...(data !== undefined && { data }) });
  const refused = (message) => ({ success: false, message, errorType: 'invalid_format' });

  return [
    {
      name: 'list_links',
      ...named(text.list),
      icon: '🔗',
      risk: 'query',
      parameters: object({}, []),
      execute: () => done(text.listed(kept.read().links)),
    },
    {
      name: 'list_tags',
      ...named(text.listTags),
      icon: '🏷️',
      risk: 'query',
      parameters: object({}, []),
      execute: () => done(text.listedTags(kept.read().tags)),
    },
    {
      name: 'add_tag',
      ...named(text.addTagTool),
      icon: '🏷️',
      risk: 'write',
      parameters: object({ tag: words(text.tagName) }, ['tag']),
      describeCall: ({ tag }) => text.addTagSentence(tag),
      execute({ tag }) {
        const now = kept.read();
        const name = tag.trim();
        if (now.tags.includes(name)) return refused(text.tagThere(name));
        kept.write({ ...now, tags: [...now.tags, name] });
        return done(text.tagAdded(name), { tag: name });
      },
      async undo({ data }) {
        const now = kept.read();
        kept.write({ ...now, tags: now.tags.filter((tag) => tag !== data.tag) });
      },
    },
    {
      name: 'add_link',
      ...named(text.addLink),
      icon: '➕',
      risk: 'write',
      parameters: object({ title: words(text.linkTitle), url: { ...words(text.linkUrl), maxLength: 500 } }, ['title', 'url']),
      describeCall: ({ title }) => text.addLinkSentence(title),
      preview: ({ url }) => [{ label: text.address, after: url }],
      execute({ title, url }) {
        // A link is something to click: nothing but web addresses comes in.
        if (!/^https?:/i.test(url) || !URL.canParse(url)) return refused(text.noAddress(url));
        const { href } = new URL(url);
        const there = find(href);
        if (there) return refused(text.linkThere(there.title));
        const now = kept.read();
        kept.write({ ...now, links: [...now.links, { title, url: href, tags: [] }] });
        return done(text.linkAdded(title));
      },
    },
    {
      name: 'delete_link',
      ...named(text.deleteLink),
      icon: '🗑️',
      risk: 'danger',
      verbs: text.verbs,
      parameters: object({ title: words(text.linkTitle) }, ['title']),
      describeCall: ({ title }) => (find(title) ? text.deleteSentence(find(title).title) : text.noLink(title)),
      preview: ({ title }) => (find(title) ? [{ label: text.address, before: find(title).url }] : []),
      execute({ title }) {
        const link = find(title);
        if (!link) return refused(text.noLink(title));
        const now = kept.read();
        kept.write({ ...now, links: now.links.filter(({ url }) => url !== link.url) });
        return done(text.deleted(link.title));
      },
    },
  ];
}
