/** Calendar days as `YYYY-MM-DD`, and placeholders such as `{today+2}` in the host's texts. */

/** Returns the day in the local time zone. */
export function localDay(date = new Date()): string {
  const pad = (part: number) => String(part).padStart(2, '0');
  return `${String(date.getFullYear())}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** Adds days to a day. An invalid day is returned unchanged. */
export function addDays(day: string, days: number): string {
  return Number.isNaN(Date.parse(`${day}T00:00:00Z`))
    ? day
    : new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Matches `{today}`, `{today+2}`, `{today-7}`. */
const PLACEHOLDER = /\{today(?:([+-])(\d{1,4}))?\}/g;

/** Fills the placeholders in all strings of plain data, but not in keys. Never changes its input. */
export function fillDays<T>(value: T, today: string): T {
  return fill(value, today) as T;
}

function fill(value: unknown, today: string): unknown {
  if (typeof value === 'string')
    return value.replace(PLACEHOLDER, (_, sign: string | undefined, days = '0') =>
      addDays(today, sign === '-' ? -Number(days) : Number(days)),
    );
  if (Array.isArray(value)) return value.map((item) => fill(item, today));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, today)]));
}
