/** The texts of the page, in English and Chinese. `?lang=` chooses; without it the browser's preference does. */

const en = {
  title: 'Tasks',
  skip: 'Skip to the tasks',
  views: 'Views',
  assistant: 'Task assistant',
  userName: 'Guest',
  placeholder: 'Ask about your tasks…',
  quickCommands: [
    'What is planned for today?',
    'Create a task: finish the project report',
    'Create 3 tasks',
    'Complete all tasks',
    'How many tasks are there?',
    'Save a calendar file',
    'Summarize today’s tasks and save a report',
    'Do some research',
  ],
  scriptedModel: 'Scripted model — no AI, works offline',
  model: (name) => `Model: ${name}`,
  assistantMay: 'The assistant may',
  permissions: { 'tasks:read': 'read tasks', 'tasks:write': 'create and change tasks', 'tasks:delete': 'delete tasks, after asking' },
  conversation: 'This conversation',
  newConversation: 'Begin a new one',
  saveConversation: 'Save as a file',
  openConversation: 'Open a file…',
  noConversation: 'This file holds no conversation',
  today: 'Today',
  tomorrow: 'Tomorrow',
  yesterday: 'Yesterday',
  staging: 'Staging',
  stagingHint: 'Not planned for any day yet',
  areas: 'Areas',
  previousWeek: 'Previous week',
  nextWeek: 'Next week',
  week: 'Days of the week',
  goToDate: 'Go to date',
  backToToday: 'Back to today',
  progress: (done, all) => `${done} of ${all} done`,
  openCount: (count) => `${count} open`,
  newTask: 'Add a task…',
  newTaskLabel: 'Title of the new task',
  add: 'Add',
  complete: (title) => `Done: ${title}`,
  rename: (title) => `Rename “${title}”`,
  schedule: (title) => `Plan “${title}” for a day`,
  planToday: 'Plan for this day',
  remove: (title) => `Delete “${title}”`,
  unschedule: (date, title) => `Take “${title}” off ${date}`,
  scheduleDate: 'Day',
  save: 'Plan',
  cancel: 'Cancel',
  deleted: (title) => `“${title}” deleted`,
  undo: 'Undo',
  dismiss: 'Dismiss',
  emptyDay: ['A free day', 'Add a task above, or ask the assistant to plan something.'],
  emptyStaging: ['Everything is planned', 'New tasks without a date wait here.'],
  emptyArea: ['Nothing here yet', 'Add the first task of this area.'],
  allDone: 'All done. Well earned rest.',
  failed: 'That did not work',
  offline: 'The server cannot be reached. Trying again…',
  unknownView: 'There is no such list',
};

const zh = {
  title: '任务',
  skip: '跳到任务列表',
  views: '视图',
  assistant: '任务助手',
  userName: '访客',
  placeholder: '想做什么？说说看……',
  quickCommands: [
    '今天有哪些任务？',
    '创建一个任务，标题是完成项目报告',
    '帮我创建3个任务',
    '完成所有任务',
    '统计任务',
    '导出日历文件',
    '总结今天的任务，保存成报告',
    '帮我做个研究',
  ],
  scriptedModel: '脚本模型——不是 AI，可离线使用',
  model: (name) => `模型：${name}`,
  assistantMay: '助手可以',
  permissions: { 'tasks:read': '查看任务', 'tasks:write': '创建和修改任务', 'tasks:delete': '删除任务（先询问）' },
  conversation: '这段对话',
  newConversation: '开始新的对话',
  saveConversation: '保存为文件',
  openConversation: '打开文件……',
  noConversation: '这个文件里没有对话',
  today: '今天',
  tomorrow: '明天',
  yesterday: '昨天',
  staging: '暂存区',
  stagingHint: '还没有安排日期',
  areas: '区域',
  previousWeek: '上一周',
  nextWeek: '下一周',
  week: '一周的日期',
  goToDate: '跳转到日期',
  backToToday: '回到今天',
  progress: (done, all) => `已完成 ${done} / ${all}`,
  openCount: (count) => `${count} 个未完成`,
  newTask: '添加任务……',
  newTaskLabel: '新任务的标题',
  add: '添加',
  complete: (title) => `完成：${title}`,
  rename: (title) => `重命名「${title}」`,
  schedule: (title) => `为「${title}」安排日期`,
  planToday: '安排到这一天',
  remove: (title) => `删除「${title}」`,
  unschedule: (date, title) => `取消「${title}」在 ${date} 的安排`,
  scheduleDate: '日期',
  save: '安排',
  cancel: '取消',
  deleted: (title) => `已删除「${title}」`,
  undo: '撤销',
  dismiss: '关闭',
  emptyDay: ['空闲的一天', '在上面添加任务，或请助手帮你安排。'],
  emptyStaging: ['都安排好了', '没有日期的新任务会出现在这里。'],
  emptyArea: ['这里还没有任务', '添加这个区域的第一个任务吧。'],
  allDone: '全部完成，好好休息。',
  failed: '操作没有成功',
  offline: '无法连接到服务器，正在重试……',
  unknownView: '没有这个列表',
};

export const pageTexts = (lang) => (lang.startsWith('zh') ? zh : en);

/** `zh-CN` or `en`. */
export function pageLanguage() {
  const asked = new URLSearchParams(location.search).get('lang');
  const preferred = (asked ? [asked] : navigator.languages).map((tag) => tag.toLowerCase());
  return preferred.find((tag) => /^(?:zh|en)\b/.test(tag))?.startsWith('zh') ? 'zh-CN' : 'en';
}

/** Makes `link` lead to the same place in the other language. Returns what to call when the address has changed without a sound. */
export function switchLanguage(link, lang) {
  const other = lang === 'en' ? 'zh-CN' : 'en';
  const point = () => {
    const target = new URL(location.href);
    target.searchParams.set('lang', other);
    link.href = target.href;
  };
  link.textContent = other === 'en' ? 'English' : '中文';
  link.lang = other;
  link.hreflang = other;
  addEventListener('hashchange', point);
  point();
  return point;
}
