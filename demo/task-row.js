/** One task in a list: done or not, its name (click to rename), where and when it belongs, and what can be done with it. */
import { formatDay, nameOfDay, today } from './dates.js';
import { element, icon } from './dom.js';

/** Makes the row with all that never changes; `updateTaskRow` fills it. What is being typed in it survives every update. */
export function createTaskRow(first, { text, actions, view }) {
  const row = element('li', { class: 'task' });
  let task = first;
  row.taskOf = (next) => (task = next);

  const check = element('input', { type: 'checkbox', class: 'check', onchange: () => actions.complete(task, check.checked) });
  const title = element('button', { type: 'button', class: 'task-title', onclick: rename });
  const meta = element('div', { class: 'task-meta' });
  const body = element('div', { class: 'task-body' }, title, meta);
  const plan = element('button', { type: 'button', class: 'tool plan', onclick: openPlanner }, icon('day'));
  const remove = element('button', { type: 'button', class: 'tool remove', onclick: () => actions.remove(task) }, icon('trash'));
  row.append(check, body, element('div', { class: 'task-tools' }, plan, remove));

  function rename() {
    const before = task.title;
    const field = element('input', { class: 'task-rename', value: before, maxLength: 200, 'aria-label': text.rename(before) });
    let over = false;
    const finish = (keep, focus) => {
      if (over) return;
      over = true;
      const next = field.value.trim();
      field.replaceWith(title);
      if (focus) title.focus();
      if (keep && next && next !== before) {
        title.textContent = next; // at once; the answer of the server confirms or corrects it
        void actions.rename(task, next);
      }
    };
    field.addEventListener('blur', () => finish(true, false));
    field.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault(); // or the same key press would click the title that takes the focus
      finish(event.key === 'Enter', true);
    });
    title.replaceWith(field);
    field.focus();
    field.select();
  }

  function openPlanner() {
    if (row.querySelector('.planner')) return closePlanner();
    // A task of staging is most likely wanted on the day that is shown.
    const date = element('input', {
      type: 'date',
      value: view.kind === 'daily' ? view.date : today(),
      required: true,
      'aria-label': text.scheduleDate,
    });
    const submit = (event) => {
      event.preventDefault();
      closePlanner();
      void actions.schedule(task, date.value);
    };
    const cancel = element('button', { type: 'button', class: 'quiet', onclick: closePlanner }, text.cancel);
    const form = element('form', { class: 'planner', onsubmit: submit }, date, element('button', { class: 'primary' }, text.save), cancel);
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') closePlanner();
    });
    row.append(form);
    plan.setAttribute('aria-expanded', 'true');
    date.focus();
  }

  function closePlanner() {
    row.querySelector('.planner')?.remove();
    plan.setAttribute('aria-expanded', 'false');
    plan.focus();
  }

  plan.setAttribute('aria-expanded', 'false');
  return row;
}

/** Brings a row up to date. `source` is who changed the task just now, if someone did: the row then lights up for a moment. */
export function updateTaskRow(row, task, { text, lang, view, actions, areaOf, source }) {
  row.taskOf(task);
  row.classList.toggle('done', task.completed);
  const check = row.querySelector('.check');
  check.checked = task.completed;
  check.setAttribute('aria-label', text.complete(task.title));
  const title = row.querySelector('.task-title');
  if (title) {
    if (title.textContent !== task.title) title.textContent = task.title;
    title.title = text.rename(task.title);
  }
  row.querySelector('.plan').setAttribute('aria-label', text.schedule(task.title));
  row.querySelector('.plan').title = text.schedule(task.title);
  row.querySelector('.remove').setAttribute('aria-label', text.remove(task.title));
  row.querySelector('.remove').title = text.remove(task.title);
  updateMeta(row, task, { text, lang, view, actions, area: areaOf(task.area_id) });
  if (source === 'assistant') {
    row.classList.remove('touched');
    void row.offsetWidth; // starts the animation again where it is still running
    row.classList.add('touched');
  }
}

function updateMeta(row, task, { text, lang, view, actions, area }) {
  const meta = row.querySelector('.task-meta');
  const shown = JSON.stringify([task.schedules, area, view.context, today(), task.title]);
  if (meta.dataset.shown === shown) return;
  meta.dataset.shown = shown;
  const chips = [];
  if (area && view.kind !== 'area') {
    chips.push(element('span', { class: 'chip' }, element('span', { class: `dot ${area.color}`, 'aria-hidden': 'true' }), area.name));
  }
  for (const schedule of task.schedules) {
    const date = schedule.scheduled_date;
    const here = view.kind === 'daily' && view.date === date;
    const name = nameOfDay(date, lang, text);
    const label = text.unschedule(formatDay(date, lang, { dateStyle: 'medium' }), task.title);
    const off = element('button', { type: 'button', class: 'chip-off', title: label, 'aria-label': label }, icon('close'));
    off.addEventListener('click', () => actions.unschedule(task, schedule));
    chips.push(element('span', { class: `chip date${date < today() && !task.completed ? ' late' : ''}${here ? ' here' : ''}` }, name, off));
  }
  if (task.schedules.length === 0 && view.kind === 'daily') {
    chips.push(
      element('button', { type: 'button', class: 'chip action', onclick: () => actions.schedule(task, view.date) }, text.planToday),
    );
  }
  meta.replaceChildren(...chips);
}
