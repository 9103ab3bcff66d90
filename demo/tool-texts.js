/** The texts of the tools: for the model (descriptions), for users (labels, sentences) and for both (results). */

/** The day of a view as people say it; '' for a view that is no day. */
function dayOf(context, lang) {
  const [kind, date] = String(context).split('::');
  const day = new Date(`${date}T12:00`);
  return kind !== 'daily' || Number.isNaN(day.getTime()) ? '' : day.toLocaleDateString(lang, { day: 'numeric', month: 'long' });
}

const zh = {
  field: { title: '标题', area: '区域', date: '日期', state: '状态', taskId: '任务编号，取自 read_tasks 或 create_task 的结果' },
  state: (completed) => (completed ? '已完成' : '未完成'),
  unknownTask: (id) => `找不到编号为 ${id} 的任务`,
  badDate: (date) => `日期无效：${date}，请使用真实存在的日期，格式为 YYYY-MM-DD`,
  create: {
    label: '创建任务',
    verbs: { allow: '创建任务', deny: '不创建' },
    description: '创建一个新任务。没有日期的任务进入暂存区。',
    title: '任务标题',
    areaId: '任务所属区域的编号（uuid），不确定时省略',
    scheduledDate: '安排的日期，格式为 YYYY-MM-DD，不安排时省略',
    examples: [{ say: '新建一个任务：完成报告', args: { title: '完成报告' } }],
    sentence: (title) => `创建任务「${title}」`,
    done: (title) => `任务「${title}」已创建`,
  },
  read: {
    label: '查看任务',
    description: '读取一个视图里的任务列表，得到每个任务的编号、标题、完成状态、区域和日期。',
    viewContext: '视图：某一天用 daily::YYYY-MM-DD，未安排日期的任务用 staging，某个区域用 area::区域编号',
    examples: [
      { say: '{today+1} 有安排吗？', args: { view_context: 'daily::{today+1}' } },
      { say: '打开暂存区', args: { view_context: 'staging' } },
    ],
    sentence: (context) =>
      dayOf(context, 'zh-CN')
        ? `查看${dayOf(context, 'zh-CN')}的任务`
        : context === 'staging'
          ? '查看未安排日期的任务'
          : '查看一个区域的任务',
    done: (count) => `找到 ${count} 个任务`,
  },
  update: {
    label: '更新任务',
    verbs: { allow: '更新任务', deny: '保持不变' },
    description: '修改任务的标题或完成状态，只写需要修改的参数。',
    title: '新的标题',
    completed: '是否已完成：true 或 false',
    examples: [
      { say: '任务 a-7 已经做完了', args: { task_id: 'a-7', completed: true } },
      { say: 'a-4 的标题换成“收拾行李”', args: { task_id: 'a-4', title: '收拾行李' } },
    ],
    sentence: (title) => `更新任务「${title}」`,
    done: '任务已更新',
  },
  schedule: {
    label: '安排日程',
    verbs: { allow: '安排', deny: '不安排' },
    description: '把任务安排到某一天。',
    scheduledDate: '日期，格式为 YYYY-MM-DD',
    examples: [
      { say: '把任务 a-9 安排到 {today+2}', args: { task_id: 'a-9', scheduled_date: '{today+2}' } },
      { say: 'a-5 推迟到 {today+9}', args: { task_id: 'a-5', scheduled_date: '{today+9}' } },
    ],
    sentence: (title, date) => `把任务「${title}」安排到 ${date}`,
    done: (date) => `已为任务创建日程：${date}`,
  },
  remove: {
    label: '删除任务',
    verbs: { allow: '删除任务', deny: '保留' },
    description: '永久删除一个任务和它的日程，无法恢复。',
    examples: [{ say: '把任务 a-3 删掉', args: { task_id: 'a-3' } }],
    sentence: (title) => `删除任务「${title}」`,
    done: '任务已删除',
  },
};

const en = {
  field: {
    title: 'Title',
    area: 'Area',
    date: 'Date',
    state: 'State',
    taskId: 'Id of the task, from a result of read_tasks or create_task',
  },
  state: (completed) => (completed ? 'done' : 'open'),
  unknownTask: (id) => `There is no task with the id ${id}`,
  badDate: (date) => `Not a valid date: ${date}. Use a real day, written YYYY-MM-DD`,
  create: {
    label: 'Create task',
    verbs: { allow: 'Create task', deny: 'Don’t' },
    description: 'Creates a new task. A task without a date goes to staging.',
    title: 'Title of the task',
    areaId: 'Id (uuid) of the area it belongs to; leave out when unsure',
    scheduledDate: 'Day it is planned for, YYYY-MM-DD; leave out when it has none',
    examples: [{ say: 'Add a task: finish the report', args: { title: 'Finish the report' } }],
    sentence: (title) => `Create the task “${title}”`,
    done: (title) => `Task “${title}” created`,
  },
  read: {
    label: 'Read tasks',
    description: 'Reads the tasks of one view: id, title, completed, area and dates of each.',
    viewContext: 'View: daily::YYYY-MM-DD for a day, staging for tasks without a date, area::<area id> for an area',
    examples: [
      { say: 'Is anything planned for {today+1}?', args: { view_context: 'daily::{today+1}' } },
      { say: 'Open staging', args: { view_context: 'staging' } },
    ],
    sentence: (context) =>
      dayOf(context, 'en-GB')
        ? `Look at the tasks of ${dayOf(context, 'en-GB')}`
        : context === 'staging'
          ? 'Look at the tasks that have no day yet'
          : 'Look at the tasks of an area',
    done: (count) => (count === 1 ? 'Found 1 task' : `Found ${count} tasks`),
  },
  update: {
    label: 'Update task',
    verbs: { allow: 'Update task', deny: 'Leave it' },
    description: 'Changes the title or the completed state of a task. Give only what changes.',
    title: 'The new title',
    completed: 'Whether it is done: true or false',
    examples: [
      { say: 'Task a-7 is done', args: { task_id: 'a-7', completed: true } },
      { say: 'Call a-4 “Pack the bags” from now on', args: { task_id: 'a-4', title: 'Pack the bags' } },
    ],
    sentence: (title) => `Update the task “${title}”`,
    done: 'Task updated',
  },
  schedule: {
    label: 'Schedule task',
    verbs: { allow: 'Schedule it', deny: 'Don’t' },
    description: 'Plans a task for a day.',
    scheduledDate: 'The day, YYYY-MM-DD',
    examples: [
      { say: 'Plan a-9 for {today+2}', args: { task_id: 'a-9', scheduled_date: '{today+2}' } },
      { say: 'Postpone a-5 until {today+9}', args: { task_id: 'a-5', scheduled_date: '{today+9}' } },
    ],
    sentence: (title, date) => `Plan the task “${title}” for ${date}`,
    done: (date) => `Task scheduled: ${date}`,
  },
  remove: {
    label: 'Delete task',
    verbs: { allow: 'Delete task', deny: 'Keep it' },
    description: 'Deletes a task and its schedules for good. It cannot be restored.',
    examples: [{ say: 'Please delete a-3', args: { task_id: 'a-3' } }],
    sentence: (title) => `Delete the task “${title}”`,
    done: 'Task deleted',
  },
};

export const toolTexts = (lang) => (lang.startsWith('zh') ? zh : en);
