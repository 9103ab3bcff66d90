/**
 * The widget as it is published, three tools on a list of tasks, and the scripted model inside the page: no server is asked.
 * Attributes of the element can be set in the address; `show=events` lists its events.
 */
import './dist/tool-chat.js';
import { request } from './services.js';

const set = new URLSearchParams(location.search);
const zh = (set.get('lang') ?? navigator.language).startsWith('zh');
const text = zh
  ? {
      title: '在线演示',
      docs: '← 文档',
      playground: '试验场',
      about: '回答来自脚本，不是 AI；一切都在本页运行，不需要服务器。',
      tasks: '任务',
      events: '事件',
      heading: '任务助手',
      samples: ['给牙医打电话', '给植物浇水'],
      quickCommands: '添加任务：买牛奶|有哪些任务？|删除任务 1',
      titleOfTask: '任务的标题',
      number: '任务的编号',
      list: ['查看任务', '列出任务'],
      create: ['添加任务', '添加一个任务'],
      remove: ['删除任务', '删除一个任务'],
      creates: (title) => `添加任务“${title}”`,
      created: (title) => `已添加“${title}”`,
      removes: (title) => `删除任务“${title}”`,
      removed: (title) => `已删除“${title}”`,
      unknown: (number) => `没有任务 ${number}`,
    }
  : {
      title: 'Live demo',
      docs: '← Documentation',
      playground: 'Playground',
      about: 'The answers are scripted, no AI. Everything runs inside this page, without a server.',
      tasks: 'Tasks',
      events: 'Events',
      heading: 'Task assistant',
      samples: ['Call the dentist', 'Water the plants'],
      quickCommands: 'Add a task: Buy milk|Which tasks are there?|Delete task 1',
      titleOfTask: 'What to do',
      number: 'Number of the task',
      list: ['Look at the tasks', 'Lists the tasks'],
      create: ['Add a task', 'Adds a task'],
      remove: ['Delete a task', 'Deletes a task'],
      creates: (title) => `Add the task “${title}”`,
      created: (title) => `“${title}” was added`,
      removes: (title) => `Delete the task “${title}”`,
      removed: (title) => `“${title}” was deleted`,
      unknown: (number) => `There is no task ${number}`,
    };

document.documentElement.lang = zh ? 'zh-CN' : 'en';
document.documentElement.dataset.theme = set.get('theme') ?? '';
document.documentElement.toggleAttribute('data-framed', window.parent !== window);
document.title = text.title;
for (const node of document.querySelectorAll('[data-text]')) node.textContent = text[node.dataset.text];
for (const node of document.querySelectorAll('[data-text-label]')) node.setAttribute('aria-label', text[node.dataset.textLabel]);
if (zh) document.querySelector('[data-text=docs]').href = '../zh/';
document.querySelector('[data-text=playground]').search = `lang=${document.documentElement.lang}`;

const item = (words) => Object.assign(document.createElement('li'), { textContent: words });

let tasks = [];
function change(next) {
  tasks = next;
  document.querySelector('#tasks').replaceChildren(...tasks.map(item));
}
change(text.samples);
const drop = (index) => change(tasks.filter((_, at) => at !== index));

const titleAt = (number) => {
  const title = tasks[Number(number) - 1];
  if (title === undefined) throw new Error(text.unknown(number));
  return title;
};
const named = ([label, description]) => ({ label, description });
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });

const tools = [
  {
    name: 'list_tasks',
    ...named(text.list),
    risk: 'query',
    parameters: object({}),
    execute: () => tasks.map((title, index) => ({ id: String(index + 1), title })),
  },
  {
    name: 'create_task',
    ...named(text.create),
    risk: 'write',
    parameters: object({ title: { type: 'string', description: text.titleOfTask } }),
    describeCall: ({ title }) => text.creates(title),
    execute({ title }) {
      change([...tasks, title]);
      return { success: true, message: text.created(title), data: { title } };
    },
    undo: ({ data }) => drop(tasks.lastIndexOf(data.title)),
  },
  {
    name: 'delete_task',
    ...named(text.remove),
    risk: 'danger',
    parameters: object({ id: { type: 'string', description: text.number } }),
    describeCall: ({ id }) => text.removes(titleAt(id)),
    execute({ id }) {
      const title = titleAt(id);
      drop(Number(id) - 1);
      return { success: true, message: text.removed(title) };
    },
  },
];

const chat = document.createElement('tool-chat');
const { observedAttributes } = customElements.get('tool-chat');
const first = { heading: text.heading, lang: document.documentElement.lang };
for (const [name, value] of [...Object.entries(first), ...set]) if (observedAttributes.includes(name)) chat.setAttribute(name, value);
chat.setAttribute('endpoint', '/api/scripted/cutie/chat/stream');
chat.dir = set.get('dir') ?? '';
// A policy without 'unsafe-inline' refuses the attribute, and lets a script set each property.
chat.style.cssText = set.get('style') ?? '';
chat.fetch = request;
// Without a policy in the address, every change asks first.
if (!set.has('approval')) chat.decide = ({ risk }) => (risk === 'query' ? 'allow' : 'ask');
chat.quickCommands = text.quickCommands;
for (const tool of tools) chat.registerTool(tool);
document.querySelector('#chat').append(chat);

const EVENTS = 'send stream-start tool-detected approval-request tool-execute tool-complete stream-end state-change';
const events = document.querySelector('#events');
events.hidden = set.get('show') !== 'events';
if (!events.hidden)
  for (const name of EVENTS.split(' '))
    chat.addEventListener(`tool-chat-${name}`, ({ type, detail }) => {
      events.append(item(`${type} ${(JSON.stringify(detail) ?? '').slice(0, 120)}`));
      events.scrollTop = events.scrollHeight;
    });
