/**
 * A small file system of this browser, with a tree and an editor beside the chat. Nothing runs by itself (`approval="user-run"`): each call is a
 * card with a button. Tools come from the package: `fileTools()` and `sandboxTools()`.
 */
import { fileTools, openFileStore, sandboxTools } from '/dist/lib/toolkits/index.js';
import { element, icon } from './dom.js';
import { fileTexts } from './files-texts.js';
import { openPage } from './frame.js';

const { lang, text } = openPage({ texts: fileTexts, sources: ['files.html', 'files.js', 'files-texts.js'] });
const store = openFileStore('demo');
const partsOf = (path) => path.normalize('NFC').split('/').filter(Boolean);

// --- The assistant -----------------------------------------------------------------------------------------------------

const assistant = document.querySelector('#assistant');
assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', text.systemPrompt);

const notation = new URL(location.href).searchParams.get('notation') === 'json-tool-calls' ? 'json-tool-calls' : 'tool-code';
assistant.setAttribute('protocol', notation);
for (const choice of document.querySelectorAll('[name=notation]')) {
  choice.checked = choice.value === notation;
  choice.addEventListener('change', () => {
    const address = new URL(location.href);
    address.searchParams.set('notation', choice.value);
    location.assign(address);
  });
}

(window.toolChat ??= []).push((chat) => {
  const undoStore = openFileStore('demo-undo');
  for (const tool of [...fileTools({ store, undoStore, lang }), ...sandboxTools({ sandboxUrl: '/tool-chat-sandbox.html', lang })])
    chat.registerTool(tool);
});

// --- The page ----------------------------------------------------------------------------------------------------------

const tree = document.querySelector('#tree');
const editor = document.querySelector('#editor');
const content = document.querySelector('#content');
const state = document.querySelector('#state');
/** The open file, and its text when it was opened or saved. */
let open;

const isChanged = () => open !== undefined && content.value !== open.saved;

addEventListener('beforeunload', (event) => {
  if (isChanged()) event.preventDefault();
});

async function drawTree() {
  const draw = async (parts) => {
    const entries = (await store.list(parts)) ?? [];
    return Promise.all(
      entries.map(async ({ name, kind }) => {
        const path = `/${[...parts, name].join('/')}`;
        if (kind === 'directory')
          return element(
            'li',
            { class: 'directory' },
            element('span', {}, icon('folder'), name),
            element('ul', {}, ...(await draw([...parts, name]))),
          );
        const button = element('button', { type: 'button', class: 'file', onclick: () => show(path) }, icon('file'), name);
        if (path === open?.path) button.setAttribute('aria-current', 'true');
        return element('li', {}, button);
      }),
    );
  };
  const rows = await draw([]);
  tree.replaceChildren(...(rows.length > 0 ? rows : [element('li', { class: 'empty' }, text.empty)]));
}

async function show(path) {
  if (isChanged() && !confirm(text.leave(open.path))) return;
  const before = content.value;
  const saved = await store.read(partsOf(path));
  // The user is also asked about text written meanwhile.
  if (isChanged() && content.value !== before && !confirm(text.leave(open.path))) return;
  open = saved === undefined ? undefined : { path, saved };
  content.value = saved ?? '';
  drawEditor();
  await drawTree();
}

/** A note that another one has written stays for as long as what is here is not saved. */
function drawEditor(note) {
  if (open) open.note = note ?? (isChanged() ? open.note : undefined);
  editor.hidden = open === undefined;
  document.querySelector('#path').textContent = open?.path ?? '';
  state.textContent = open?.note ?? (isChanged() ? text.unsaved : '');
}

/** The chat, or another tab, has written: what a person has not saved stays in the editor. */
async function refresh() {
  const at = open;
  const now = at && (await store.read(partsOf(at.path)));
  if (at && at === open && now !== at.saved) {
    const changed = isChanged();
    at.saved = now;
    if (content.value !== now) {
      if (!changed) content.value = now ?? '';
      if (!changed && now === undefined) open = undefined;
      drawEditor(changed ? (now === undefined ? text.removedBelow : text.changedBelow) : text.updated);
    }
  }
  await drawTree();
}

content.addEventListener('input', () => drawEditor());
editor.addEventListener('submit', async (event) => {
  event.preventDefault();
  const at = open;
  const written = content.value;
  try {
    await store.write(partsOf(at.path), written);
    at.saved = written;
    at.note = undefined;
    if (at === open) drawEditor(isChanged() ? undefined : text.saved);
  } catch {
    if (at === open) drawEditor(text.notSaved);
  }
});
document.querySelector('#drop').addEventListener('click', async () => {
  if (!confirm(text.removeAsk(open.path))) return;
  const { path } = open;
  open = undefined;
  await store.remove(partsOf(path));
  drawEditor();
});
document.querySelector('#new-file').addEventListener('click', async () => {
  const name = prompt(text.newName, text.newDefault);
  const parts = partsOf(name ?? '');
  if (parts.length === 0) return;
  const path = `/${parts.join('/')}`;
  if (parts.some((part) => part === '.' || part === '..')) return alert(text.noName(path));
  try {
    if ((await store.read(parts)) === undefined) await store.write(parts, '');
    await show(path);
  } catch {
    alert(text.noName(path));
  }
});

if (((await store.list([])) ?? []).length === 0 && localStorage.getItem('tool-chat-demo:files') === null) {
  for (const [path, sample] of Object.entries(text.samples)) await store.write(partsOf(path), sample);
  localStorage.setItem('tool-chat-demo:files', 'given');
}
store.listen(() => void refresh());
await drawTree();
