/** Days as `YYYY-MM-DD`, in local time: what the API, the prompt and the date field all speak. */

export function today() {
  return dayOf(new Date());
}

/** Returns the day of a context such as `daily::2026-11-22`, or today if another view is open. */
export function dayInView(context = '') {
  return context.startsWith('daily::') ? context.slice('daily::'.length) : today();
}

export function addDays(day, days) {
  const date = dateOf(day);
  date.setDate(date.getDate() + days);
  return dayOf(date);
}

/** The seven days of the week that holds `day`, Monday first. */
export function weekOf(day) {
  const monday = addDays(day, -((dateOf(day).getDay() + 6) % 7));
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index));
}

/** Checks whether a text is a day of the calendar. */
export function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && dayOf(dateOf(text)) === text;
}

export function formatDay(day, lang, options) {
  return dateOf(day).toLocaleDateString(lang, options);
}

/** “Today”, “Tomorrow”, “Yesterday”, else the day of the week with the date. */
export function nameOfDay(day, lang, text) {
  const now = today();
  if (day === now) return text.today;
  if (day === addDays(now, 1)) return text.tomorrow;
  if (day === addDays(now, -1)) return text.yesterday;
  return formatDay(day, lang, { weekday: 'short', month: 'short', day: 'numeric' });
}

// Noon, so that no change of the clocks moves a day.
function dateOf(day) {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year, month - 1, date, 12);
}

function dayOf(date) {
  return [String(date.getFullYear()).padStart(4, '0'), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
