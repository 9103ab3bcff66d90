/**
 * Three more things the assistant can do with the tasks: numbers about all of them, a change of several at once that asks once, and a file
 * for the person's own calendar. Apart from `tools.js` so that its five stay a first example.
 */

const en = {
  stats: {
    label: 'Count tasks',
    description: 'Counts all tasks: open, done, overdue and not planned for a day.',
    done: ({ all, open, done, late, unplanned }) =>
      `${all} tasks: ${open} open, ${done} done; ${late} overdue, ${unplanned} not planned for a day.`,
  },
  batch: {
    label: 'Update several tasks',
    verbs: { allow: 'Update all', deny: 'Leave them' },
    description: 'Marks several tasks as done or not done at once.',
    ids: 'Ids of the tasks, from a result of read_tasks',
    completed: 'Whether they are done: true or false',
    sentence: (count, completed) => (completed ? `Mark these ${count} tasks as done` : `Mark these ${count} tasks as not done`),
    state: (completed) => (completed ? 'done' : 'open'),
    done: (count) => `${count} tasks updated`,
    some: (count, failed) => `${count} tasks updated, ${failed} failed`,
    unknown: 'There is no such task',
  },
  calendar: {
    label: 'Save for the calendar',
    description: 'Saves the tasks that are planned for a day as an .ics file for a calendar.',
    from: 'First day, YYYY-MM-DD; leave out for today',
    to: 'Last day, YYYY-MM-DD; leave out for all days after',
    sentence: 'Save the planned tasks as a calendar file',
    done: (count) => `tasks.ics saved: ${count} entries`,
    nothing: 'No task is planned for these days',
    badDate: (date) => `Not a valid date: ${date}. Use a real day, written YYYY-MM-DD`,
    name: 'Tasks',
  },
};

const zh = {
  stats: {
    label: '统计任务',
    description: '统计所有任务：未完成、已完成、已过期和未安排日期的数量。',
    done: ({ all, open, done, late, unplanned }) =>
      `共 ${all} 个任务：${open} 个未完成，${done} 个已完成；${late} 个已过期，${unplanned} 个未安排日期。`,
  },
  batch: {
    label: '批量更新任务',
    verbs: { allow: '全部更新', deny: '保持不变' },
    description: '一次把多个任务标记为已完成或未完成。',
    ids: '任务编号的列表，取自 read_tasks 的结果',
    completed: '是否已完成：true 或 false',
    sentence: (count, completed) => (completed ? `把这 ${count} 个任务标记为已完成` : `把这 ${count} 个任务标记为未完成`),
    state: (completed) => (completed ? '已完成' : '未完成'),
    done: (count) => `已更新 ${count} 个任务`,
    some: (count, failed) => `已更新 ${count} 个任务，${failed} 个失败`,
    unknown: '没有这个任务',
  },
  calendar: {
    label: '导出日历',
    description: '把安排了日期的任务保存为日历用的 .ics 文件。',
    from: '第一天，格式为 YYYY-MM-DD，省略则为今天',
    to: '最后一天，格式为 YYYY-MM-DD，省略则不限',
    sentence: '把已安排的任务保存为日历文件',
    done: (count) => `已保存 tasks.ics，共 ${count} 项`,
    nothing: '这些日子没有安排任务',
    badDate: (date) => `日期无效：${date}，请使用真实存在的日期，格式为 YYYY-MM-DD`,
    name: '任务',
  },
};

/** @param {{ api: ReturnType<typeof import('./api.js').createApi>, lang?: string, save: (name: string, content: string, type: string) => void }} page */
export function createMoreTools({ api, lang = 'en', save }) {
  const text = lang.startsWith('zh') ? zh : en;
  const day = (description) => ({ type: 'string', description });
  const shared = { resource: 'tasks' };
  return [
    {
      ...shared,
      name: 'task_stats',
      label: text.stats.label,
      icon: '📊',
      description: text.stats.description,
      risk: 'query',
      requires: 'tasks:read',
      parameters: { type: 'object', properties: {}, additionalProperties: false },
      async execute(_, { signal }) {
        const { tasks } = await api.tasks({ signal });
        const counts = count(tasks, localDay());
        return { success: true, message: text.stats.done(counts), data: counts };
      },
    },
    {
      ...shared,
      name: 'batch_update_tasks',
      label: text.batch.label,
      verbs: text.batch.verbs,
      icon: '🗂️',
      description: text.batch.description,
      risk: 'danger',
      requires: 'tasks:write',
      parameters: {
        type: 'object',
        properties: {
          task_ids: {
            type: 'array',
            items: { type: 'string' },
            minItems: 1,
            maxItems: 100,
            uniqueItems: true,
            description: text.batch.ids,
          },
          completed: { type: 'boolean', description: text.batch.completed },
        },
        required: ['task_ids', 'completed'],
        additionalProperties: false,
      },
      describeCall: ({ task_ids, completed }) => text.batch.sentence(task_ids.length, completed),
      // Each task by its name: nobody can say yes to a list of ids.
      async preview({ task_ids, completed }, { signal }) {
        const byId = await allById(api, signal);
        return task_ids.map((id) => {
          const task = byId.get(id);
          return task
            ? { label: task.title, before: text.batch.state(task.completed), after: text.batch.state(completed) }
            : { label: text.batch.unknown, before: id };
        });
      },
      async execute({ task_ids, completed }, { signal, progress }) {
        const byId = await allById(api, signal);
        const changed = [];
        const failed = [];
        for (const [at, id] of task_ids.entries()) {
          progress({ fraction: at / task_ids.length });
          const before = byId.get(id);
          try {
            if (!before) throw new Error(text.batch.unknown);
            await api.updateTask(id, { completed }, { signal });
            changed.push({ id, completed: before.completed });
          } catch (error) {
            if (signal.aborted) throw error;
            failed.push({ id, reason: error.message });
          }
        }
        if (failed.length === 0) return { success: true, message: text.batch.done(changed.length), data: { changed } };
        return { success: changed.length > 0, message: text.batch.some(changed.length, failed.length), data: { changed, failed } };
      },
      async undo({ data }, { signal }) {
        for (const { id, completed } of data.changed) await api.updateTask(id, { completed }, { signal });
      },
    },
    {
      ...shared,
      name: 'export_calendar',
      label: text.calendar.label,
      icon: '📆',
      description: text.calendar.description,
      risk: 'write',
      requires: 'tasks:read',
      parameters: {
        type: 'object',
        properties: { from: day(text.calendar.from), to: day(text.calendar.to) },
        additionalProperties: false,
      },
      describeCall: () => text.calendar.sentence,
      async execute({ from, to }, { signal }) {
        const bad = [from, to].find((date) => date && !isDay(date));
        if (bad) return { success: false, message: text.calendar.badDate(bad), code: 'INVALID_PARAMETER', errorType: 'invalid_format' };
        const { tasks } = await api.tasks({ signal });
        const entries = planned(tasks, from || localDay(), to || '9999-12-31');
        if (entries.length === 0) return { success: true, message: text.calendar.nothing, errorType: 'empty_result' };
        signal.throwIfAborted();
        save('tasks.ics', calendarFile(entries, { name: text.calendar.name, now: new Date() }), 'text/calendar');
        return { success: true, message: text.calendar.done(entries.length), data: { entries: entries.length } };
      },
    },
  ];
}

const allById = async (api, signal) => new Map((await api.tasks({ signal })).tasks.map((task) => [task.id, task]));

function count(tasks, today) {
  const open = tasks.filter(({ completed }) => !completed);
  return {
    all: tasks.length,
    open: open.length,
    done: tasks.length - open.length,
    late: open.filter(({ schedules }) => schedules.length > 0 && schedules.every((one) => one.scheduled_date < today)).length,
    unplanned: tasks.filter(({ schedules }) => schedules.length === 0).length,
  };
}

/** An entry for each day of each task, in order. */
function planned(tasks, from, to) {
  return tasks
    .flatMap(({ id, title, completed, schedules }) =>
      schedules.map(({ schedule_id, scheduled_date: date }) => ({ uid: schedule_id ?? `${id}-${date}`, title, completed, date })),
    )
    .filter(({ date }) => date >= from && date <= to)
    .sort((a, b) => a.date.localeCompare(b.date));
}

/** RFC 5545: an all-day event for each entry; lines end with CR LF and are folded at 75 octets. */
export function calendarFile(entries, { name, now }) {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const compact = (date) => date.replaceAll('-', '');
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//tool-chat//demo//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escapeText(name)}`,
    ...entries.flatMap(({ uid, title, completed, date }) => [
      'BEGIN:VEVENT',
      `UID:${uid}@tool-chat.demo`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${compact(date)}`,
      `SUMMARY:${escapeText(completed ? `✓ ${title}` : title)}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ];
  return lines.map(fold).join('\r\n') + '\r\n';
}

const escapeText = (text) => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n|\r/g, '\\n');

/** Cuts a text after so many octets of UTF-8, never inside a character. */
function fold(line) {
  const encoder = new TextEncoder();
  let folded = '';
  let size = 0;
  for (const character of line) {
    const { length } = encoder.encode(character);
    if (size + length > 75) {
      folded += '\r\n ';
      size = 1;
    }
    folded += character;
    size += length;
  }
  return folded;
}

function localDay() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function isDay(value) {
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}
