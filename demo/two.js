/**
 * Two assistants on one page. Each has its own session, its own tools and its own conversation; what is said to one never reaches the other.
 * They share a label printer, which takes one job at a time: a lock of the page (Web Locks) keeps the two, and other tabs, apart.
 */
import { element, reconcile } from './dom.js';
import { openPage } from './frame.js';

const en = {
  title: 'Two chats on one page',
  intro:
    'Each assistant has its own tools and its own memory. Ask both to print a label at once: the printer takes one job after the other.',
  food: 'Pantry',
  books: 'Bookshelf',
  foodChat: 'Pantry assistant',
  booksChat: 'Book assistant',
  foodCommands: ['Add the food "honey"', 'Which food is there?', 'Print a label "jam"'],
  booksCommands: ['Add the book "Emma"', 'Which books are there?', 'Print a label "novels"'],
  placeholder: 'Say something to this one…',
  foods: ['Flour', 'Rice', 'Lentils'],
  bookList: ['Middlemarch', 'The Odyssey', 'Walden'],
  addFood: ['Add food', 'Adds a food to the pantry.'],
  listFood: ['Look into the pantry', 'Lists the food in the pantry.'],
  addBook: ['Add book', 'Adds a book to the bookshelf.'],
  listBooks: ['Look at the bookshelf', 'Lists the books on the bookshelf.'],
  print: ['Print label', 'Prints a label.'],
  name: 'Its name',
  label: 'What the label says',
  added: (name) => `“${name}” added`,
  listed: (names) => `There are: ${names.join(', ')}`,
  printed: (label) => `Label “${label}” printed`,
  printing: 'printing …',
  done: 'printed',
  printer: 'Label printer',
  printerNote: 'Shared by both chats, and by other tabs of this page.',
  noJobs: 'Nothing printed yet.',
  foodPrompt: 'You look after a pantry.\n\n{{tools}}',
  booksPrompt: 'You look after a bookshelf.\n\n{{tools}}',
};

const zh = {
  title: '一个页面，两个对话',
  intro: '每个助手都有自己的工具和自己的记忆。让两个助手同时打印标签：打印机会一件一件地处理。',
  food: '储藏室',
  books: '书架',
  foodChat: '储藏室助手',
  booksChat: '图书助手',
  foodCommands: ['添加食物「蜂蜜」', '列出储藏室的食物', '打印标签「果酱」'],
  booksCommands: ['添加图书「爱玛」', '列出书架上的图书', '打印标签「小说」'],
  placeholder: '对这个助手说……',
  foods: ['面粉', '大米', '扁豆'],
  bookList: ['红楼梦', '奥德赛', '瓦尔登湖'],
  addFood: ['添加食物', '添加食物到储藏室。'],
  listFood: ['查看储藏室', '列出储藏室的食物。'],
  addBook: ['添加图书', '添加图书到书架。'],
  listBooks: ['查看书架', '列出书架上的图书。'],
  print: ['打印标签', '打印标签。'],
  name: '名称',
  label: '标签上的文字',
  added: (name) => `已添加「${name}」`,
  listed: (names) => `有：${names.join('、')}`,
  printed: (label) => `标签「${label}」已打印`,
  printing: '正在打印……',
  done: '已打印',
  printer: '标签打印机',
  printerNote: '两个对话共用，本页的其他标签页也共用。',
  noJobs: '还没有打印过。',
  foodPrompt: '你负责管理储藏室。\n\n{{tools}}',
  booksPrompt: '你负责管理书架。\n\n{{tools}}',
};

const { lang, text } = openPage({ texts: { en, zh }, sources: ['two.html', 'two.js', 'two.css', 'frame.js'] });

// --- What both share -----------------------------------------------------------------------------------------------------

const PRINT_MS = 1200;
const jobs = document.querySelector('#jobs');
/** When each job began and ended, for whoever wants to check that none overlaps another. */
window.printerJobs = [];

/** Waits for its turn, prints, and frees the printer whatever happens. */
async function print(label, who, signal) {
  const work = async () => {
    const job = { label, who, from: performance.now(), to: null };
    window.printerJobs.push(job);
    document.querySelector('#no-jobs').hidden = true;
    const state = element('small', {}, text.printing);
    const heading = element('span', { class: 'grow' }, element('span', { class: 'name' }, label), element('small', {}, who));
    jobs.append(element('li', {}, heading, state));
    await new Promise((resolve) => setTimeout(resolve, PRINT_MS));
    state.textContent = text.done;
    job.to = performance.now();
  };
  if (navigator.locks) await navigator.locks.request('demo-label-printer', { signal }, work);
  else await work();
}

// --- Two desks that know nothing of each other ---------------------------------------------------------------------------

openDesk('food', { names: text.foods, add: text.addFood, list: text.listFood, tools: ['add_food', 'list_food'] });
openDesk('books', { names: text.bookList, add: text.addBook, list: text.listBooks, tools: ['add_book', 'list_books'] });

function openDesk(id, { names, add, list, tools: [addName, listName] }) {
  const rows = document.querySelector(`#${id} .rows`);
  const things = [...names];
  const draw = () =>
    reconcile(rows, things, {
      key: (name) => name,
      create: (name) => element('li', {}, element('span', { class: 'name' }, name)),
      update: () => {},
    });
  draw();

  const chat = document.querySelector(`#${id}-chat`);
  chat.setAttribute('lang', lang);
  chat.setAttribute('heading', text[`${id}Chat`]);
  chat.setAttribute('placeholder', text.placeholder);
  chat.setAttribute('quick-commands', text[`${id}Commands`].join('|'));
  chat.setAttribute('system-prompt', text[`${id}Prompt`]);

  const thing = (description) => ({ type: 'string', minLength: 1, maxLength: 60, description });
  const tools = [
    {
      name: addName,
      label: add[0],
      description: add[1],
      icon: '➕',
      risk: 'write',
      parameters: { type: 'object', properties: { name: thing(text.name) }, required: ['name'] },
      execute({ name }) {
        if (!things.includes(name)) things.push(name);
        draw();
        return { success: true, message: text.added(name) };
      },
    },
    {
      name: listName,
      label: list[0],
      description: list[1],
      icon: '📋',
      risk: 'query',
      parameters: { type: 'object', properties: {} },
      execute: () => ({ success: true, message: text.listed(things) }),
    },
    {
      name: 'print_label',
      label: text.print[0],
      description: text.print[1],
      icon: '🖨️',
      risk: 'write',
      resource: 'printer',
      parameters: { type: 'object', properties: { label: thing(text.label) }, required: ['label'] },
      async execute({ label }, { signal }) {
        await print(label, text[`${id}Chat`], signal);
        return { success: true, message: text.printed(label) };
      },
    },
  ];
  // The queue's function runs once for each <tool-chat>: it picks the one it is for.
  (window.toolChat ??= []).push((ready) => {
    if (ready === chat) for (const tool of tools) chat.registerTool(tool);
  });
}
