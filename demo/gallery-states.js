/** The states that the gallery shows: by id, a description and a frozen conversation. Every string that is data has both languages. */

import { messageStates } from './gallery-message-states.js';
import { panelStates } from './gallery-panel-states.js';
import { withDoors } from './gallery-steps.js';
import { textStates } from './gallery-text-states.js';

const AT = Date.UTC(2026, 2, 2, 12, 4);

const idle = {
  ...{ state: 'idle', activities: [], messages: [], isLoading: false, error: null, currentTool: null, toolHistory: [] },
  ...{ streamingText: '', isToolExecuting: false, grants: [], views: [], cards: {}, failure: null, retry: null, queue: [] },
  session: { state: 'idle', requiresConfirm: false, lastTool: null, lastResultSummary: null, plan: null },
};

/** The arguments of a tool: one of each kind of field. */
function formOf([title, to, minutes, remind, guests, note, room], [small, large], days) {
  return {
    required: ['title', 'to'],
    properties: {
      title: { type: 'string', 'x-label': title },
      to: { type: 'string', format: 'date', 'x-label': to, description: days },
      minutes: { type: 'integer', 'x-label': minutes },
      remind: { type: 'boolean', 'x-label': remind },
      room: {
        'x-label': room,
        oneOf: [
          { const: 'small', title: small },
          { const: 'large', title: large },
        ],
      },
      guests: { type: 'array', items: { type: 'string' }, 'x-label': guests },
      memo: { type: 'string', maxLength: 400, 'x-label': note },
    },
  };
}

const words = {
  en: {
    delete: {
      label: 'Delete task',
      sentence: 'Delete the task “Call the dentist”',
      ask: 'Delete the task about the dentist',
      done: 'Task “Call the dentist” deleted',
    },
    deleteVerbs: { allow: 'Delete task', deny: 'Keep it' },
    create: { label: 'Create task', sentence: 'Create the task “Buy milk”', done: 'Task “Buy milk” created' },
    createVerbs: { allow: 'Create task', deny: 'Don’t' },
    move: { label: 'Move appointment', sentence: 'Move “Dentist” to Thursday at 9:30', done: 'Appointment moved' },
    moveVerbs: { allow: 'Move it', deny: 'Leave it' },
    read: { label: 'Read tasks', sentence: 'Look at the tasks of today', done: 'Found 3 tasks', none: 'Found nothing' },
    pay: { label: 'Pay invoice' },
    intro: 'I found it. One moment:',
    many: 'Clear everything that is done',
    titles: ['Call the dentist', 'Buy vegetables and rice', 'Book the meeting room'],
    row: (at, title) => ({ 'No.': at, Task: title, State: at === 2 ? 'done' : 'open' }),
    wideRow: (at, title) => ({ 'No.': at, Task: title, Where: 'Second floor, Hangzhou', Due: `March ${at}`, State: 'open' }),
    deleteOne: (title) => `Delete the task “${title}”`,
    when: 'When',
    note: 'Note',
    form: formOf(
      ['What', 'To which day', 'How many minutes', 'Remind me', 'Who comes', 'Note', 'Room'],
      ['The small one', 'The large one'],
      'Weekdays only',
    ),
    before: 'Tue 3 March, 16:00',
    after: 'Thu 5 March, 9:30',
    answer: 'Done. “Call the dentist” is gone; the other two are still there.',
    failed: 'The task is locked by another user',
    offers: ['Delete task with any task_id: up to 5 times, today', 'Every call of Delete task in this session'],
    tainted: 'Needs approval: the assistant just read untrusted content (read_mail)',
    mixed: 'Send money to “Ada Lovelace”',
    remembered: ['Prefers short answers', 'Works in Hangzhou'],
    tools: [
      { name: 'read', label: 'Look at tasks', icon: '📋', risk: 'query', says: 'What is open this week?' },
      { name: 'create', label: 'Add a task', icon: '➕', risk: 'write', asks: true, says: 'Remind me to buy milk' },
      { name: 'move', label: 'Move an appointment', risk: 'write', asks: true, says: 'Move the dentist to Thursday morning' },
      { name: 'delete', label: 'Delete a task', icon: '🗑️', risk: 'danger', asks: true, says: 'Delete what is done' },
    ],
    ready: ['What can you do?', 'Plan my day'],
    next: ['What else is nearby?', 'Add it to my calendar'],
    where: 'Where was this taken?',
    there: 'That looks like the lake below the two peaks, early in the morning.',
  },
  zh: {
    delete: { label: '删除任务', sentence: '删除任务「给牙医打电话」', ask: '把看牙医的任务删掉', done: '任务「给牙医打电话」已删除' },
    deleteVerbs: { allow: '删除任务', deny: '保留' },
    create: { label: '创建任务', sentence: '创建任务「买牛奶」', done: '任务「买牛奶」已创建' },
    createVerbs: { allow: '创建任务', deny: '不创建' },
    move: { label: '改预约', sentence: '把「看牙医」改到周四 9:30', done: '预约已更改' },
    moveVerbs: { allow: '更改', deny: '保持不变' },
    read: { label: '查看任务', sentence: '查看今天的任务', done: '找到 3 个任务', none: '没有找到任务' },
    pay: { label: '支付账单' },
    intro: '找到了，请稍等：',
    many: '把做完的都清掉',
    titles: ['给牙医打电话', '买蔬菜和大米', '预订会议室'],
    row: (at, title) => ({ 序号: at, 任务: title, 状态: at === 2 ? '已完成' : '未完成' }),
    wideRow: (at, title) => ({ 序号: at, 任务: title, 地点: '杭州办公室二楼东侧会议区', 期限: `3月${at}日`, 状态: '未完成' }),
    deleteOne: (title) => `删除任务「${title}」`,
    when: '时间',
    note: '备注',
    form: formOf(['内容', '改到哪一天', '多少分钟', '提醒我', '参加的人', '备注', '房间'], ['小会议室', '大会议室'], '仅限工作日'),
    before: '3月3日 周二 16:00',
    after: '3月5日 周四 9:30',
    answer: '好了。「给牙医打电话」已经删除，另外两个任务还在。',
    failed: '任务已被其他人锁定',
    offers: ['删除任务，任意 task_id：最多 5 次，今天内', '本次会话中的每一次删除任务'],
    tainted: '需要确认：助手刚刚读取了不受信任的内容（read_mail）',
    mixed: '向「小王」转账',
    remembered: ['喜欢简短的回答', '在杭州工作'],
    tools: [
      { name: 'read', label: '查看任务', icon: '📋', risk: 'query', says: '这周还有哪些没做？' },
      { name: 'create', label: '创建任务', icon: '➕', risk: 'write', asks: true, says: '提醒我买牛奶' },
      { name: 'move', label: '改预约', risk: 'write', asks: true, says: '把看牙医改到周四上午' },
      { name: 'delete', label: '删除任务', icon: '🗑️', risk: 'danger', asks: true, says: '把做完的都删掉' },
    ],
    ready: ['你能做什么？', '安排我的一天'],
    next: ['附近还有哪里值得去？', '加到我的日历里'],
    where: '这是在哪里拍的？',
    there: '看起来是清晨时分，两座山峰下的湖边。',
  },
};

const UUID = '7f3b2c1a-90de-4c5b-8a11-52f0d9b6a3e4';

function message(id, role, parts, status = 'complete') {
  const pieces = parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : { type: 'call', requestId: part.call }));
  const text = parts.filter((part) => typeof part === 'string').join('');
  return { message: { id, role, text, createdAt: AT, status: { type: status }, metadata: {} }, parts: pieces };
}

function call(requestId, name, word, change = {}) {
  return {
    ...{ requestId, toolName: name, label: word.label, sentence: word.sentence, digest: `digest of ${requestId}`, reason: '' },
    ...{ risk: 'danger', args: { task_id: UUID }, stated: { args: ['task_id'], changes: [] }, status: 'awaiting_approval', ...change },
  };
}

function card(status, checked, change = {}) {
  const { requestId, toolName, label, args } = checked;
  return { requestId, toolName, label, status, params: args, call: { ...checked, status }, endedAt: AT, ...change };
}

const result = (word, status = 'success', change = {}) => ({
  ...{ requestId: '', toolName: '', success: status === 'success', status, message: word.done, result: word.done, durationMs: 120 },
  ...change,
});

/** While somebody is waited for. */
const waits = { isLoading: true, activities: ['awaitingApproval'], state: 'tool_call' };

/** A conversation in which these cards stand below a sentence. */
function conversation({ ask, intro, cards, after = [], change = {} }) {
  return {
    ...idle,
    ...(cards.some(({ status }) => status === 'awaiting_approval') && waits),
    views: [
      message('u1', 'user', [ask]),
      message('a1', 'assistant', [...(intro ? [intro] : []), ...cards.map(({ requestId }) => ({ call: requestId }))]),
      ...after,
    ],
    cards: Object.fromEntries(cards.map((one) => [one.requestId, one])),
    ...change,
  };
}

const speak = (lang) => (lang.startsWith('zh') ? words.zh : words.en);

/** A state with one card, or several. */
function acting(id, title, make, around = {}) {
  return {
    id,
    title,
    view({ lang, texts }) {
      const word = speak(lang);
      const cards = [make(word, texts)].flat();
      return conversation({ ask: word.delete.ask, intro: word.intro, cards, ...(around.more?.(word) ?? {}) });
    },
  };
}

const deletion = (word, texts, change) =>
  call('c1', 'delete_task', word.delete, { verbs: word.deleteVerbs, reason: texts.reasonDanger, ...change });
const creation = (word, change) =>
  call('c1', 'create_task', word.create, { risk: 'write', verbs: word.createVerbs, args: { title: word.create.sentence }, ...change });
const edit = { schema: { properties: { task_id: { type: 'string' } } }, sensitive: false, answered: 0 };

/** The menu over a conversation with one act; `page`: of the menu. */
function menu(id, title, page) {
  return {
    ...acting(id, title, (word, texts) => card('success', deletion(word, texts), { decidedBy: 'person', undo: 'offered', endedAt: AT })),
    surface: () => withDoors,
    press: ['[part=menu-button]', ...(page ? [`[data-item=${page}]`] : [])],
    view({ lang, texts }) {
      const word = speak(lang);
      const done = card('success', deletion(word, texts), { decidedBy: 'person', undo: 'offered', endedAt: AT });
      const grants = word.offers.map((sentence, at) => ({ id: `g${at}`, toolName: 'delete_task', sentence, scope: 'session', where: {} }));
      const remembered = word.remembered.map((text, at) => ({ id: `m${at}`, kind: at === 0 ? 'preference' : 'fact', text }));
      return { ...conversation({ ask: word.delete.ask, intro: word.intro, cards: [done] }), grants, remembered };
    },
  };
}

/** A picture that somebody sent. */
const picture = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="200"><rect width="320" height="200" fill="#d9e6ea"/><circle cx="236" cy="62" r="26" fill="#f2b65a"/><path d="M0 200 96 88l64 68 48-44 112 88z" fill="#3f6f73"/></svg>',
)}`;

export const states = [
  { id: 'empty', title: 'Panel: empty', view: () => idle, panel: ({ lang }) => ({ quickCommands: speak(lang).ready }) },
  {
    ...{ id: 'starters', title: 'Panel: empty, with what can be asked for' },
    view: () => ({ ...idle, hasTools: true }),
    surface: ({ lang }) => ({ ...withDoors, tools: () => Promise.resolve(speak(lang).tools) }),
  },
  menu('menu', 'Menu'),
  menu('menu-acts', 'Menu: activity', 'acts'),
  menu('menu-grants', 'Menu: what was allowed', 'grants'),
  menu('menu-memory', 'Menu: what is remembered', 'memory'),
  menu('menu-shortcuts', 'Menu: what the keys do', 'shortcuts'),
  menu('menu-clear', 'Menu: before all is cleared', 'clear'),
  {
    id: 'composer',
    title: 'Composer: with all its buttons, a picture that was sent, what to say next',
    panel: ({ lang }) => ({
      ...{ attaches: true, toolPicker: true, suggestions: speak(lang).next },
      models: { models: ['swift-small', 'swift-large'], current: 'swift-small', choose: () => undefined },
    }),
    view({ lang }) {
      const word = speak(lang);
      const asked = message('u1', 'user', [word.where]);
      asked.message.attachments = [{ type: 'image', name: 'photo.svg', url: picture }];
      return { ...idle, hasTools: true, views: [asked, message('a1', 'assistant', [word.there])] };
    },
  },
  acting('decide-delete', 'Decision: a deletion', (word, texts) => card('awaiting_approval', deletion(word, texts), { edit })),
  acting('decide-offers', 'Decision: its scope can be chosen', (word, texts) =>
    card('awaiting_approval', deletion(word, texts), { edit, offers: word.offers }),
  ),
  acting('decide-change', 'Decision: something changes to something', (word, texts) =>
    card(
      'awaiting_approval',
      call('c1', 'move_appointment', word.move, {
        ...{ risk: 'write', verbs: word.moveVerbs, reason: texts.reasonAlways, args: { appointment_id: UUID, to: word.after } },
        stated: { args: ['appointment_id', 'to'], changes: [] },
        preview: [{ label: word.when, before: word.before, after: word.after }],
      }),
      { edit },
    ),
  ),
  acting('decide-outside', 'Decision: after untrusted content', (word, texts) =>
    card('awaiting_approval', deletion(word, texts, { reason: word.tainted, taintedBy: { requestId: 'c0', toolName: 'read_mail' } }), {
      edit,
    }),
  ),
  acting('decide-unsaid', 'Decision: the sentence does not say all', (word, texts) =>
    card(
      'awaiting_approval',
      call(
        'c1',
        'send_money',
        { label: word.pay.label, sentence: word.mixed },
        {
          ...{ risk: 'danger', reason: texts.reasonDanger, args: { to: 'DE02 1203 0000 0000 2020 51', amount: 250, memo: word.note } },
        },
      ),
      { edit },
    ),
  ),
  acting('decide-bare', 'Decision: a tool without a sentence', (word, texts) =>
    card(
      'awaiting_approval',
      call(
        'c1',
        'pay',
        { label: word.pay.label },
        { risk: 'undeclared', reason: texts.reasonUndeclared, args: { invoice: 4711, amount: 89.9 } },
      ),
    ),
  ),
  acting('decide-edited', 'Decision: changed by the user', (word, texts) =>
    card('awaiting_approval', deletion(word, texts, { reason: texts.reasonEdited }), {
      edit,
      edited: [{ label: 'task_id', before: 'a-1', after: UUID }],
    }),
  ),
  acting('decide-shown', 'Decision: the assistant only showed it', (word, texts) =>
    card('awaiting_approval', creation(word, { flags: ['quoted'], reason: texts.reasonQuoted })),
  ),
  acting('list', 'Decision: three at once', (word, texts) =>
    word.titles.map((title, at) =>
      card(
        'awaiting_approval',
        call(
          `c${at}`,
          'delete_task',
          { ...word.delete, sentence: word.deleteOne(title) },
          { verbs: word.deleteVerbs, reason: texts.reasonDanger },
        ),
      ),
    ),
  ),
  acting(
    'results-wait',
    'Decision: what has run can be sent without it',
    (word, texts) => [
      card('success', call('c0', 'read_tasks', word.read, { risk: 'query', args: { day: 'today' } }), { result: result(word.read) }),
      card('awaiting_approval', deletion(word, texts), { edit, offers: word.offers }),
    ],
    { more: () => ({ change: { canSendResults: true } }) },
  ),
  {
    ...acting('edit-form', 'Decision: its arguments are changed', (word, texts) =>
      card(
        'awaiting_approval',
        call('c1', 'move_appointment', word.move, {
          ...{ risk: 'write', verbs: word.moveVerbs, reason: texts.reasonAlways },
          args: { title: word.titles[0], to: '2026-03-05', minutes: 30, remind: true, guests: [word.tools[0].label], memo: word.note },
        }),
        {
          edit: { schema: word.form, sensitive: false, answered: 0 },
        },
      ),
    ),
    press: ['[part=edit-button]'],
  },
  {
    ...acting('dialog', 'Decision: in a dialog', (word, texts) =>
      card('awaiting_approval', deletion(word, texts), { edit, offers: word.offers }),
    ),
    panel: () => ({ approvalUi: 'dialog' }),
  },
  acting('reading', 'Call: arriving', (word) => ({
    requestId: 'c1',
    toolName: 'delete_task',
    label: word.delete.label,
    status: 'pending',
    params: {},
  })),
  acting('running', 'Call: running, with progress', (word) => card('executing', creation(word), { progress: { fraction: 0.4 } })),
  acting(
    'done',
    'Call: done',
    (word, texts) => card('success', deletion(word, texts, { decidedBy: 'person' }), { result: result(word.delete) }),
    { more: (word) => ({ after: [message('a2', 'assistant', [word.answer])] }) },
  ),
  acting('done-undo', 'Call: done, can be undone', (word) =>
    card('success', creation(word, { decidedBy: 'person' }), { result: result(word.create), undo: 'offered' }),
  ),
  acting('denied', 'Call: denied', (word, texts) =>
    card('denied', deletion(word, texts, { decidedBy: 'person' }), { result: result({ done: texts.declined }, 'denied') }),
  ),
  acting('failed', 'Call: failed', (word, texts) =>
    card('error', deletion(word, texts, { decidedBy: 'person' }), { result: result({ done: word.failed }, 'error'), edit }),
  ),
  acting('interrupted', 'Call: interrupted', (word, texts) => card('interrupted', deletion(word, texts, { decidedBy: 'person' }))),
  acting('undone', 'Call: undone', (word) => card('undone', creation(word, { decidedBy: 'person' }), { result: result(word.create) })),
  acting('quiet', 'Call: needs no approval', (word) =>
    card('success', call('c1', 'read_tasks', word.read, { risk: 'query', args: { day: 'today' } }), {
      result: result(word.read, 'success', { data: { tasks: word.titles } }),
    }),
  ),
  ...[
    ['result-table', 'Result: a table', (word) => word.titles.map((title, at) => word.row(at + 1, title))],
    ['result-wide', 'Result: a table wider than the panel', (word) => word.titles.map((title, at) => word.wideRow(at + 1, title))],
    ['result-tree', 'Result: nested', (word) => ({ tasks: word.titles, page: { from: 1, to: 3 } })],
    ['result-none', 'Result: nothing', () => []],
  ].map(([id, title, data]) => ({
    ...acting(id, title, (word) =>
      card('success', call('c1', 'read_tasks', word.read, { risk: 'query', args: { day: 'today' } }), {
        result: result(id === 'result-none' ? { done: word.read.none } : word.read, 'success', { data: data(word) }),
      }),
    ),
    unfold: true,
  })),
  acting('quiet-many', 'Call: three that need no approval', (word) =>
    word.titles.map((title, at) =>
      card('success', call(`c${at}`, 'read_tasks', word.read, { risk: 'query', args: { day: title } }), { result: result(word.read) }),
    ),
  ),
  ...textStates((ask, answer) => ({ ...idle, views: [message('u1', 'user', [ask]), message('a1', 'assistant', [answer])] })),
  ...messageStates({ idle, message }),
  ...panelStates({ idle, message, choices: (lang) => speak(lang).tools }),
];
