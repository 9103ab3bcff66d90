/**
 * The five things the assistant can do here. Each is a plain object: what the model reads (`description`, `parameters`),
 * what people read (`label`, `icon`, `verbs`, `describeCall`, `preview`), how careful to be (`risk`, `requires`), and the work itself.
 * All of them act through the same HTTP API as the board; none knows anything about the chat.
 */
import { toolTexts } from './tool-texts.js';

const VIEW_CONTEXT = '^(?:daily::[0-9]{4}-[0-9]{2}-[0-9]{2}|staging|area::[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$';
const DATE = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$';

/** Permissions a page can grant; a tool whose permission is missing is neither taught nor run. */
export const permissions = ['tasks:read', 'tasks:write', 'tasks:delete'];

/**
 * @param {{ api: ReturnType<typeof import('./api.js').createApi>, lang?: string }} options
 * @returns tool definitions, in the order the model reads them
 */
export function createTaskTools({ api, lang = 'en' }) {
  const text = toolTexts(lang);

  // Calls that share a resource never overlap: a list read half way through a change would mislead the model.
  const resource = 'tasks';

  /** For a sentence or a preview: what the id stands for, or null where there is no such task. Never fails. */
  const lookUp = (id, signal) => api.task(id, { signal }).catch(() => null);

  const areaName = async (id, signal) => {
    const { areas } = await api.areas({ signal });
    return areas.find((area) => area.id === id)?.name ?? id;
  };

  return [
    {
      name: 'create_task',
      label: text.create.label,
      verbs: text.create.verbs,
      icon: '📝',
      description: text.create.description,
      risk: 'write',
      requires: 'tasks:write',
      resource,
      parameters: {
        type: 'object',
        properties: {
          title: { type: 'string', description: text.create.title },
          area_id: { type: 'string', description: text.create.areaId },
          scheduled_date: { type: 'string', description: text.create.scheduledDate },
        },
        required: ['title'],
        additionalProperties: false,
      },
      examples: text.create.examples,
      describeCall: ({ title }) => text.create.sentence(title),
      async preview({ title, area_id, scheduled_date }, { signal }) {
        const changes = [{ label: text.field.title, after: title }];
        if (area_id) changes.push({ label: text.field.area, after: await areaName(area_id, signal) });
        if (scheduled_date) changes.push({ label: text.field.date, after: scheduled_date });
        return changes;
      },
      async execute({ title, area_id, scheduled_date }, { signal }) {
        // A model writes an empty value for "none"; the API takes an absent one.
        const wanted = { title, ...(area_id ? { area_id } : {}), ...(scheduled_date ? { scheduled_date } : {}) };
        if (scheduled_date && !isDate(scheduled_date)) return invalid(text.badDate(scheduled_date));
        const task = await api.createTask(wanted, { signal });
        return { success: true, message: text.create.done(task.title), data: forModel(task) };
      },
      async undo({ data }, { signal }) {
        await api.deleteTask(data.id, { signal });
      },
    },
    {
      name: 'read_tasks',
      label: text.read.label,
      icon: '📋',
      description: text.read.description,
      risk: 'query',
      requires: 'tasks:read',
      resource,
      parameters: {
        type: 'object',
        properties: { view_context: { type: 'string', pattern: VIEW_CONTEXT, description: text.read.viewContext } },
        required: ['view_context'],
        additionalProperties: false,
      },
      examples: text.read.examples,
      describeCall: ({ view_context }) => text.read.sentence(view_context),
      async execute({ view_context }, { signal }) {
        const { tasks } = await api.view(view_context, { signal });
        return {
          success: true,
          message: text.read.done(tasks.length),
          data: { tasks: tasks.map(forModel) },
          ...(tasks.length === 0 ? { errorType: 'empty_result' } : {}),
        };
      },
    },
    {
      name: 'update_task',
      label: text.update.label,
      verbs: text.update.verbs,
      icon: '✏️',
      description: text.update.description,
      risk: 'write',
      requires: 'tasks:write',
      resource,
      parameters: {
        type: 'object',
        properties: {
          task_id: { type: 'string', description: text.field.taskId },
          title: { type: 'string', description: text.update.title },
          completed: { type: 'boolean', description: text.update.completed },
        },
        required: ['task_id'],
        additionalProperties: false,
      },
      examples: text.update.examples,
      async describeCall({ task_id }, { signal }) {
        const task = await lookUp(task_id, signal);
        return task ? text.update.sentence(task.title) : text.unknownTask(task_id);
      },
      async preview({ task_id, title, completed }, { signal }) {
        const task = await lookUp(task_id, signal);
        if (!task) return [];
        const changes = [];
        if (title !== undefined) changes.push({ label: text.field.title, before: task.title, after: title });
        if (completed !== undefined) {
          changes.push({ label: text.field.state, before: text.state(task.completed), after: text.state(completed) });
        }
        return changes;
      },
      async execute({ task_id, title, completed }, { signal }) {
        const before = await api.task(task_id, { signal });
        const changes = { ...(title === undefined ? {} : { title }), ...(completed === undefined ? {} : { completed }) };
        const task = await api.updateTask(task_id, changes, { signal });
        const replaced = Object.fromEntries(Object.keys(changes).map((field) => [field, before[field]]));
        return { success: true, message: text.update.done, data: { ...forModel(task), before: replaced } };
      },
      async undo({ data }, { signal }) {
        await api.updateTask(data.id, data.before, { signal });
      },
    },
    {
      name: 'create_schedule',
      label: text.schedule.label,
      verbs: text.schedule.verbs,
      icon: '📅',
      description: text.schedule.description,
      risk: 'write',
      requires: 'tasks:write',
      resource,
      parameters: {
        type: 'object',
        properties: {
          task_id: { type: 'string', description: text.field.taskId },
          scheduled_date: { type: 'string', pattern: DATE, description: text.schedule.scheduledDate },
        },
        required: ['task_id', 'scheduled_date'],
        additionalProperties: false,
      },
      examples: text.schedule.examples,
      async describeCall({ task_id, scheduled_date }, { signal }) {
        const task = await lookUp(task_id, signal);
        return task ? text.schedule.sentence(task.title, scheduled_date) : text.unknownTask(task_id);
      },
      preview: ({ scheduled_date }) => [{ label: text.field.date, after: scheduled_date }],
      async execute({ task_id, scheduled_date }, { signal }) {
        if (!isDate(scheduled_date)) return invalid(text.badDate(scheduled_date));
        await api.task(task_id, { signal });
        const schedule = await api.schedule(task_id, scheduled_date, { signal });
        return { success: true, message: text.schedule.done(schedule.scheduled_date), data: schedule };
      },
      async undo({ data }, { signal }) {
        await api.unschedule(data.task_id, data.schedule_id, { signal });
      },
    },
    {
      name: 'delete_task',
      label: text.remove.label,
      verbs: text.remove.verbs,
      icon: '🗑️',
      description: text.remove.description,
      risk: 'danger',
      requires: 'tasks:delete',
      resource,
      parameters: {
        type: 'object',
        properties: { task_id: { type: 'string', description: text.field.taskId } },
        required: ['task_id'],
        additionalProperties: false,
      },
      examples: text.remove.examples,
      // An id says nothing to a person who is asked to allow this: the card shows which task it is.
      async describeCall({ task_id }, { signal }) {
        const task = await lookUp(task_id, signal);
        return task ? text.remove.sentence(task.title) : text.unknownTask(task_id);
      },
      async preview({ task_id }, { signal }) {
        const task = await lookUp(task_id, signal);
        if (!task) return [];
        const dates = task.schedules.map((schedule) => schedule.scheduled_date).join(', ');
        return [{ label: text.field.title, before: task.title }, ...(dates ? [{ label: text.field.date, before: dates }] : [])];
      },
      async execute({ task_id }, { signal }) {
        await api.task(task_id, { signal });
        await api.deleteTask(task_id, { signal });
        return { success: true, message: text.remove.done, data: null };
      },
    },
  ];
}

/** The fields of a task that the model needs, and no more: each costs tokens. */
function forModel({ id, title, completed, area_id, schedules }) {
  return { id, title, completed, area_id, scheduled_dates: schedules.map((schedule) => schedule.scheduled_date) };
}

/** Checks whether a text is a day of the calendar: `2024-02-30` has the right shape and is none. */
function isDate(value) {
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === value;
}

/** A refusal before anything was asked of the server. */
function invalid(message) {
  return { success: false, message, code: 'INVALID_PARAMETER', errorType: 'invalid_format' };
}
