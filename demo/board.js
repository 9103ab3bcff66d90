/**
 * The task manager: sidebar, day view, staging, areas. It shows what the server holds and changes it through the API; when
 * the change feed says that something moved (a tool ran, another tab), it reads again. It knows nothing of the assistant.
 */
import { addDays, formatDay, isDay, nameOfDay, today, weekOf } from './dates.js';
import { element, icon, reconcile } from './dom.js';
import { createTaskRow, updateTaskRow } from './task-row.js';
import { createToasts } from './toasts.js';

/**
 * @param {{ api: ReturnType<typeof import('./api.js').createApi>, text: object, lang: string,
 *   onViewChange: (view: { context: string, area?: { id: string, name: string } }) => void }} options
 */
export function createBoard({ api, text, lang, onViewChange }) {
  const toasts = createToasts(document.querySelector('#toasts'), text);
  let view = viewFromAddress();
  let data = { areas: [], tasks: [], staging: [], todayOpen: 0, ready: false };
  const touched = new Map(); // task id -> who changed it last, until it was drawn

  // --- Reading --------------------------------------------------------------------------------------------------------

  let reading = false;
  let stale = false;

  /** Reads everything on the screen again. Calls while one is under way become one more at its end. */
  async function refresh() {
    if (reading) {
      stale = true;
      return;
    }
    reading = true;
    do {
      stale = false;
      const wanted = view;
      try {
        const todayContext = `daily::${today()}`;
        const [{ areas }, shown, now, staging] = await Promise.all([
          api.areas(),
          api.view(wanted.context),
          wanted.context === todayContext ? null : api.view(todayContext),
          wanted.context === 'staging' ? null : api.view('staging'),
        ]);
        if (wanted !== view) {
          stale = true;
          continue;
        }
        data = {
          areas,
          tasks: shown.tasks,
          staging: (staging ?? shown).tasks,
          todayOpen: (now ?? shown).tasks.filter((task) => !task.completed).length,
          ready: true,
        };
        render();
        reportView();
      } catch (error) {
        if (error.status === 404 || error.status === 400) {
          toasts.show(text.unknownView);
          location.hash = '';
        } else toasts.show(error.status ? error.message : text.offline);
      }
    } while (stale);
    reading = false;
  }

  /** Runs one change by hand, says so if it failed, and shows what is true now either way. */
  async function change(work) {
    try {
      return await work();
    } catch (error) {
      toasts.show(error.status ? `${text.failed}: ${error.message}` : text.offline);
      return undefined;
    } finally {
      void refresh();
    }
  }

  const actions = {
    complete: (task, completed) => change(() => api.updateTask(task.id, { completed })),
    rename: (task, title) => change(() => api.updateTask(task.id, { title })),
    schedule: (task, date) => change(() => api.schedule(task.id, date)),
    unschedule: (task, schedule) => change(() => api.unschedule(task.id, schedule.schedule_id)),
    remove: (task) =>
      change(async () => {
        await api.deleteTask(task.id);
        toasts.show(text.deleted(task.title), { label: text.undo, run: () => change(() => restore(task)) });
        board.focus();
      }),
  };

  /** The server has no waste bin: taking a deletion back makes the same task again, under a new id. */
  async function restore({ title, completed, area_id, schedules }) {
    const task = await api.createTask({ title, area_id });
    for (const { scheduled_date } of schedules) await api.schedule(task.id, scheduled_date);
    if (completed) await api.updateTask(task.id, { completed });
  }

  // --- Where we are -----------------------------------------------------------------------------------------------------

  function viewFromAddress() {
    const context = decodeURIComponent(location.hash.slice(1));
    if (context === 'staging') return { kind: 'staging', context };
    if (context.startsWith('area::')) return { kind: 'area', context, areaId: context.slice('area::'.length) };
    const asked = context.startsWith('daily::') ? context.slice('daily::'.length) : '';
    const date = isDay(asked) ? asked : today();
    return { kind: 'daily', context: `daily::${date}`, date };
  }

  const areaOf = (id) => data.areas.find((area) => area.id === id);

  function reportView() {
    const area = view.kind === 'area' ? areaOf(view.areaId) : undefined;
    onViewChange({ context: view.context, ...(area ? { area: { id: area.id, name: area.name } } : {}) });
  }

  addEventListener('hashchange', () => {
    view = viewFromAddress();
    data = { ...data, tasks: [], ready: false };
    render();
    reportView();
    void refresh();
  });

  // --- The sidebar --------------------------------------------------------------------------------------------------------

  const views = document.querySelector('#views');
  const mainLinks = element('ul', { role: 'list' });
  const areaLinks = element('ul', { role: 'list' });
  views.append(mainLinks, element('h2', {}, text.areas), areaLinks);

  function renderSidebar() {
    const now = today();
    const link = {
      key: (item) => item.context,
      create: (item) => {
        const mark = item.color ? element('span', { class: `dot ${item.color}`, 'aria-hidden': 'true' }) : icon(item.icon);
        const count = element('span', { class: 'count' });
        return element('li', {}, element('a', { href: `#${item.context}` }, mark, element('span', { class: 'name' }), count));
      },
      update: (node, item) => {
        const anchor = node.firstChild;
        if (item.context === view.context) anchor.setAttribute('aria-current', 'page');
        else anchor.removeAttribute('aria-current');
        setText(anchor.querySelector('.name'), item.name);
        const count = anchor.querySelector('.count');
        setText(count, item.count > 0 ? String(item.count) : '');
        count.title = text.openCount(item.count);
      },
    };
    const open = data.staging.filter((task) => !task.completed).length;
    reconcile(
      mainLinks,
      [
        { context: `daily::${now}`, name: text.today, icon: 'day', count: data.todayOpen },
        { context: 'staging', name: text.staging, icon: 'staging', count: open },
      ],
      link,
    );
    reconcile(
      areaLinks,
      data.areas.map((area) => ({ context: `area::${area.id}`, name: area.name, color: area.color, count: area.open_tasks })),
      link,
    );
  }

  // --- The list -------------------------------------------------------------------------------------------------------------

  const board = document.querySelector('#board');
  const heading = element('h1');
  const subtitle = element('p', { class: 'subtitle' });
  const progress = element('div', { class: 'progress' });
  const backToToday = element('a', { class: 'quiet', href: '#' }, text.backToToday);
  const jump = element('input', {
    type: 'date',
    'aria-label': text.goToDate,
    title: text.goToDate,
    onchange: jumpToDate,
    onclick: openCalendar,
  });
  const jumpButton = element('span', { class: 'jump' }, icon('day'), jump);
  const days = element('nav', { class: 'days', 'aria-label': text.week });
  const addField = element('input', {
    name: 'title',
    maxLength: 200,
    autocomplete: 'off',
    placeholder: text.newTask,
    'aria-label': text.newTaskLabel,
  });
  const addForm = element(
    'form',
    { class: 'add', onsubmit: addTask },
    icon('plus'),
    addField,
    element('button', { class: 'primary' }, text.add),
  );
  const list = element('ul', { class: 'tasks', role: 'list' });
  const empty = element('div', { class: 'empty' });
  const waitingHeading = element('h2', {}, text.staging);
  const waitingList = element('ul', { class: 'tasks', role: 'list' });
  const waiting = element('section', { class: 'waiting', 'aria-label': text.staging }, waitingHeading, waitingList);
  board.append(
    element(
      'header',
      { class: 'board-head' },
      element('div', {}, heading, subtitle),
      element('div', { class: 'head-end' }, progress, backToToday, jumpButton),
    ),
    days,
    addForm,
    list,
    empty,
    waiting,
  );

  async function addTask(event) {
    event.preventDefault();
    const title = addField.value.trim();
    if (!title) return;
    const place = { daily: { scheduled_date: view.date }, area: { area_id: view.areaId }, staging: {} }[view.kind];
    addField.value = '';
    const added = await change(() => api.createTask({ title, ...place }));
    if (!added && !addField.value) addField.value = title; // nothing typed is lost
  }

  function jumpToDate() {
    if (isDay(jump.value)) location.hash = `daily::${jump.value}`;
  }

  // The field lies unseen over its icon, so a click anywhere on it has to open the calendar.
  function openCalendar() {
    try {
      jump.showPicker();
    } catch {
      // A browser without one lets the date be typed.
    }
  }

  function renderDays() {
    const now = today();
    backToToday.hidden = view.kind !== 'daily' || view.date === now;
    days.hidden = jumpButton.hidden = view.kind !== 'daily';
    if (view.kind !== 'daily') return;
    jump.value = view.date;
    const step = (name, label, date) =>
      element('a', { class: 'step', href: `#daily::${date}`, 'aria-label': label, title: label }, icon(name));
    const week = weekOf(view.date).map((date) => {
      const day = element(
        'a',
        { class: `day${date === now ? ' today' : ''}`, href: `#daily::${date}` },
        element('span', { class: 'weekday' }, formatDay(date, lang, { weekday: lang === 'en' ? 'short' : 'narrow' })),
        element('span', { class: 'number' }, String(Number(date.slice(8)))),
        element('span', { class: 'visually-hidden' }, formatDay(date, lang, { dateStyle: 'full' })),
      );
      if (date === view.date) day.setAttribute('aria-current', 'date');
      return day;
    });
    days.replaceChildren(
      step('back', text.previousWeek, addDays(view.date, -7)),
      ...week,
      step('next', text.nextWeek, addDays(view.date, 7)),
    );
  }

  function render() {
    renderSidebar();
    const area = view.kind === 'area' ? areaOf(view.areaId) : undefined;
    setText(
      heading,
      { daily: () => nameOfDay(view.date, lang, text), staging: () => text.staging, area: () => area?.name ?? '…' }[view.kind](),
    );
    setText(
      subtitle,
      { daily: () => formatDay(view.date, lang, { dateStyle: 'full' }), staging: () => text.stagingHint, area: () => text.areas }[
        view.kind
      ](),
    );
    const daysKey = `${view.context}|${today()}`;
    if (days.dataset.shown !== daysKey) {
      renderDays();
      days.dataset.shown = daysKey;
    }

    const done = data.tasks.filter((task) => task.completed).length;
    progress.hidden = data.tasks.length === 0;
    const bar = element('progress', { max: Math.max(1, data.tasks.length), value: done, 'aria-hidden': 'true' });
    progress.replaceChildren(element('span', {}, text.progress(done, data.tasks.length)), bar);

    renderTasks(list, data.tasks);
    renderEmpty(done);

    // Below a day: what is not planned yet, one click away from it. What the assistant adds without a date shows up here.
    const unplanned = view.kind === 'daily' ? data.staging.filter((task) => !task.completed) : [];
    waiting.hidden = unplanned.length === 0;
    renderTasks(waitingList, unplanned);
    if (!stale) touched.clear(); // else what changed may only come with the next answer
  }

  function renderTasks(parent, tasks) {
    const options = { text, lang, view, actions, areaOf };
    reconcile(parent, tasks, {
      key: (task) => task.id,
      create: (task) => createTaskRow(task, options),
      update: (row, task) => updateTaskRow(row, task, { ...options, source: touched.get(task.id) }),
    });
  }

  function renderEmpty(done) {
    const kind = !data.ready ? '' : data.tasks.length === 0 ? view.kind : done === data.tasks.length ? 'done' : '';
    empty.hidden = kind === '';
    if (empty.dataset.kind === kind) return;
    empty.dataset.kind = kind;
    const [title, advice] = { '': [], daily: text.emptyDay, staging: text.emptyStaging, area: text.emptyArea, done: [text.allDone] }[kind];
    empty.replaceChildren(...(title ? [element('p', { class: 'empty-title' }, title)] : []), ...(advice ? [element('p', {}, advice)] : []));
  }

  // --- What others change -------------------------------------------------------------------------------------------------

  let feed = null;

  // A hidden page lets go of the feed: a browser opens only six connections to a server, for all its tabs together.
  function follow() {
    if (document.hidden) {
      feed?.close();
      feed = null;
    } else if (!feed) {
      feed = new EventSource('/api/events');
      feed.addEventListener('ready', () => void refresh());
      feed.addEventListener('change', ({ data: json }) => {
        const { task_id, source } = JSON.parse(json);
        touched.set(task_id, source);
        void refresh();
      });
    }
  }
  document.addEventListener('visibilitychange', follow);

  render();
  void refresh();
  follow();
}

/** Leaves an unchanged text node alone, so that a screen reader has nothing to announce. */
function setText(node, value) {
  if (node.textContent !== value) node.textContent = value;
}
