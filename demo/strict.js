/**
 * A page under the strictest policy a site can have: scripts from this origin or by a nonce that lives for one response, styles from files,
 * Trusted Types required. The widget needs nothing more; what the policy refuses is listed, and nothing is, until the button tries.
 */
import { element, reconcile } from './dom.js';
import { openPage } from './frame.js';

const en = {
  title: 'Under the strictest policy',
  intro:
    'Scripts by nonce or from this origin, styles from files only, Trusted Types required. Archive a note by chat: everything works, and the browser has nothing to refuse.',
  notes: 'Notes',
  empty: 'All notes are archived.',
  archived: 'archived',
  policy: 'The policy of this page',
  quiet: 'The browser has refused nothing.',
  refused: (count) => (count === 1 ? 'The browser refused 1 thing:' : `The browser refused ${count} things:`),
  attack: 'Try to break it',
  assistant: 'Archive',
  placeholder: 'Archive a note…',
  quickCommands: ['Archive the note "Tax return"', 'List the notes'],
  systemPrompt: 'You look after an archive of notes.\n\n{{tools}}',
  samples: ['Tax return', 'Passport copies', 'Flat inspection'],
  archive: ['Archive note', 'Archives a note.'],
  list: ['List notes', 'Lists the notes that are not archived yet.'],
  note: 'Title of the note',
  sentence: (note) => `Archive the note “${note}”`,
  verbs: { allow: 'Archive it', deny: 'Leave it' },
  done: (note) => `“${note}” is in the archive`,
  unknown: (note) => `There is no note “${note}”`,
  listed: (notes) => (notes.length === 0 ? 'All are archived' : `Notes: ${notes.join(', ')}`),
};

const zh = {
  title: '在最严格的策略下',
  intro:
    '脚本只能来自本站或凭一次性 nonce 执行，样式只能来自文件，并强制使用可信类型。用对话归档一条笔记：一切照常，浏览器没有什么可拒绝的。',
  notes: '笔记',
  empty: '所有笔记都已归档。',
  archived: '已归档',
  policy: '本页的策略',
  quiet: '浏览器没有拒绝任何东西。',
  refused: (count) => `浏览器拒绝了 ${count} 项：`,
  attack: '试着破坏它',
  assistant: '档案',
  placeholder: '归档一条笔记……',
  quickCommands: ['归档笔记「报税表」', '列出所有笔记'],
  systemPrompt: '你负责管理一份笔记档案。\n\n{{tools}}',
  samples: ['报税表', '护照复印件', '房屋检查'],
  archive: ['归档笔记', '归档笔记。'],
  list: ['查看笔记', '列出所有笔记。'],
  note: '笔记的标题',
  sentence: (note) => `归档笔记「${note}」`,
  verbs: { allow: '归档', deny: '不归档' },
  done: (note) => `「${note}」已归档`,
  unknown: (note) => `没有笔记「${note}」`,
  listed: (notes) => (notes.length === 0 ? '都已归档' : `笔记：${notes.join('、')}`),
};

const { lang, text } = openPage({ texts: { en, zh }, sources: ['strict.html', 'strict.js', 'frame.js'] });
const notes = text.samples.map((title) => ({ title, archived: false }));
const find = (title) => notes.find((note) => note.title.toLowerCase() === title.trim().toLowerCase());
const open = () => notes.filter(({ archived }) => !archived).map(({ title }) => title);

function draw() {
  reconcile(document.querySelector('#notes'), notes, {
    key: ({ title }) => title,
    create: ({ title }) =>
      element('li', {}, element('span', { class: 'grow name' }, title), element('span', { class: 'tag' }, text.archived)),
    update: (row, { archived }) => (row.querySelector('.tag').hidden = !archived),
  });
  document.querySelector('#empty').hidden = open().length > 0;
}
draw();

// --- The assistant -----------------------------------------------------------------------------------------------------

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);

(window.toolChat ??= []).push((chat) => {
  // A tool that does not say how risky it is asks first.
  chat.registerTool({
    name: 'archive_note',
    label: text.archive[0],
    description: text.archive[1],
    icon: '🗄️',
    verbs: text.verbs,
    parameters: { type: 'object', properties: { note: { type: 'string', maxLength: 80, description: text.note } }, required: ['note'] },
    describeCall: ({ note }) => text.sentence(note),
    execute({ note }) {
      const found = find(note);
      if (!found) return { success: false, message: text.unknown(note) };
      found.archived = true;
      draw();
      return { success: true, message: text.done(found.title) };
    },
  });
  chat.registerTool({
    name: 'list_notes',
    label: text.list[0],
    description: text.list[1],
    icon: '📋',
    risk: 'query',
    parameters: { type: 'object', properties: {} },
    execute: () => ({ success: true, message: text.listed(open()) }),
  });
});

// --- The policy, and what it refused -----------------------------------------------------------------------------------

/** The nonce is a secret of the response; the rest is for everybody. */
const readPolicy = async () => {
  const { headers } = await fetch(location.pathname);
  return (headers.get('content-security-policy') ?? '').replace(/'nonce-[^']*'/, "'nonce-…'").replaceAll('; ', ';\n');
};
void readPolicy().then((policy) => (document.querySelector('#policy').textContent = policy));

function showRefusals() {
  const refusals = window.refusals ?? [];
  document.querySelector('#verdict').textContent = refusals.length === 0 ? text.quiet : text.refused(refusals.length);
  document.querySelector('#refusals').replaceChildren(...refusals.map((refusal) => element('li', {}, refusal)));
}
document.addEventListener('refusal', showRefusals);
showRefusals();

/** The first things an attacker would try: a string as code, as HTML, as an inline style, and a picture that reports to a server. */
document.querySelector('#attack').addEventListener('click', () => {
  const attempts = [
    () => Object.assign(document.createElement('iframe'), { srcdoc: '<img src=x>' }),
    () => document.body.append(element('img', { src: 'https://stranger.invalid/seen.png', alt: '', hidden: true })),
    () => document.body.append(element('style', { textContent: 'body { opacity: 0 }' })),
    () => document.createElement('button').setAttribute('onclick', 'alert(1)'),
  ];
  for (const attempt of attempts) {
    try {
      attempt();
    } catch {} // Trusted Types refuse by throwing
  }
});
