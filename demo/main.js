/**
 * A task manager with an assistant. This file is the whole of the integration; the task manager itself is `board.js`.
 *
 * How to do this on your page:
 *
 * 1. Load the widget and place it where it should be. No build step, no framework:
 *
 *        <script type="module" src="tool-chat.js"></script>
 *        <tool-chat id="assistant" endpoint="/api/ai/chat/stream"></tool-chat>
 *
 * 2. Tell it what your page can do. A tool is an object with a description for the model and a function for the work:
 *
 *        (window.toolChat ??= []).push((chat) => {
 *          chat.registerTool({
 *            name: 'archive_invoice',
 *            description: 'Archives one invoice.',
 *            risk: 'write',                    // 'query' and 'write' run at once, 'danger' asks first, and so does a tool that does not say
 *            parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
 *            async execute({ id }, { signal }) {
 *              const response = await fetch(`/api/invoices/${encodeURIComponent(id)}/archive`, { method: 'POST', signal });
 *              if (!response.ok) throw response; // a tool fails by throwing
 *              return response.json();
 *            },
 *          });
 *        });
 *
 *    The queue works before the script has loaded and after it; functions run once for each <tool-chat> on the page.
 *
 * 3. Tell it who is there and what is on the screen, and again whenever that changes:
 *
 *        chat.context = { user_name: 'Ada', permissions: ['invoices:write'], current_view: 'march' };
 *
 *    `{user_name}` in the system prompt becomes `Ada`; a tool whose `requires` is not among the permissions is neither
 *    taught to the model nor run.
 *
 * 4. Let your page notice what tools change, as it would notice any other change. Here the server's change feed does it.
 */
import { ApiError, createApi } from './api.js';
import { createBoard } from './board.js';
import { dayInView } from './dates.js';
import { element } from './dom.js';
import { createPageList } from './frame.js';
import { pageLanguage, pageTexts, switchLanguage } from './page-texts.js';
import { systemPrompt } from './system-prompt.js';
import { createToasts } from './toasts.js';
import { createMoreTools } from './more-tools.js';
import { createTaskTools, permissions } from './tools.js';

const lang = pageLanguage();
const text = pageTexts(lang);
document.documentElement.lang = lang;
document.title = text.title;
for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
for (const node of document.querySelectorAll('[data-text-label]')) node.setAttribute('aria-label', text[node.dataset.textLabel]);
switchLanguage(document.querySelector('#language'), lang);
document.querySelector('#pages').replaceWith(createPageList(lang === 'en' ? 'en' : 'zh', '/'));

// --- The assistant: texts by attribute, the rest by property once it is there -----------------------------------------

const assistant = document.querySelector('#assistant');
const granted = new Set(permissions);
let view = {};
let chat = null; // the assistant, once it has its properties and methods

assistant.setAttribute('lang', lang);
assistant.setAttribute('heading', text.assistant);
assistant.setAttribute('placeholder', text.placeholder);
assistant.setAttribute('quick-commands', text.quickCommands.join('|'));
assistant.setAttribute('system-prompt', systemPrompt(lang));

// The conversation survives a reload and is the same in every tab; `?storage=none` forgets it with the page, `?storage=session` with the tab.
const storage = new URLSearchParams(location.search).get('storage');
if (storage) assistant.setAttribute('storage', storage);

// Beside the board where there is room, a button in the corner where there is not.
const wide = matchMedia('(min-width: 1080px)');
const place = () => assistant.setAttribute('layout', wide.matches ? 'inline' : 'floating');
wide.addEventListener('change', place);
place();

(window.toolChat ??= []).push((ready) => {
  chat = ready;
  const api = createApi({ lang, client: 'assistant' });
  for (const tool of createTaskTools({ api, lang })) chat.registerTool(withAnswers(tool));
  for (const tool of createMoreTools({ api, lang, save: saveFile })) chat.registerTool(withAnswers(tool));
  describeScreen();
});

/** A refusal of the API is an answer, too: the card and the model get its sentence, without an HTTP status. */
function withAnswers(tool) {
  const answer = (error) => {
    if (error instanceof ApiError && error.status < 500 && error.body) return error.body;
    throw error;
  };
  return { ...tool, execute: (...args) => tool.execute(...args).catch(answer) };
}

/** The part of the screen that the assistant knows. The widget fills in `{today}` by itself. */
function describeScreen() {
  if (!chat) return;
  chat.context = {
    user: { name: text.userName },
    user_name: text.userName,
    permissions: [...granted],
    // The day that is looked at, if it is one; else today.
    current_date: dayInView(view.context),
    weekday: new Date().toLocaleDateString(lang, { weekday: 'long' }),
    current_view: view.context,
    // Only inside an area: a line of the prompt whose variable has no value is left out.
    ...(view.area ? { current_area_id: view.area.id, current_area: view.area.name } : {}),
  };
}

// --- The conversation as a whole ------------------------------------------------------------------------------------------

document.querySelector('#new-conversation').addEventListener('click', () => chat?.clear());

// A session file: everything that was said and done, without secrets. Opening one runs nothing.
document.querySelector('#save-conversation').addEventListener('click', async () => {
  if (!chat) return;
  saveFile('conversation.json', JSON.stringify(await chat.exportSession(), null, 2), 'application/json');
});

function saveFile(name, content, type) {
  const link = element('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

document.querySelector('#open-conversation').addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  target.value = ''; // the same file can be chosen again
  if (!chat || !file) return;
  await chat.importSession(await file.text()).catch((error) => {
    createToasts(document.querySelector('#toasts'), text).show(error instanceof TypeError ? text.noConversation : error.message);
  });
});

// --- The task manager ---------------------------------------------------------------------------------------------------

createBoard({
  api: createApi({ lang, client: 'board' }),
  text,
  lang,
  onViewChange(next) {
    view = next;
    describeScreen();
  },
});

// The tools that the user lets the assistant use. The model is not told about those that are unticked.
document.querySelector('#grants').append(
  ...permissions.map((permission) => {
    const box = element('input', { type: 'checkbox', checked: true });
    box.addEventListener('change', () => {
      if (box.checked) granted.add(permission);
      else granted.delete(permission);
      describeScreen();
    });
    return element('label', {}, box, text.permissions[permission]);
  }),
);

// Nobody should take the scripted model for an AI.
fetch('/api/demo/info')
  .then((response) => response.json())
  .then(({ model }) => {
    const note = document.querySelector('#model-note');
    note.textContent = model === 'scripted' ? text.scriptedModel : text.model(model);
    note.classList.toggle('scripted', model === 'scripted');
    note.hidden = false;
  })
  .catch(() => {}); // without an answer nothing is claimed
