/** Days as `YYYY-MM-DD`, and words for them. */
import { addDays } from '../base/days.js';

export { addDays } from '../base/days.js';

export function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

/** Source of a pattern without groups, for use inside others. */
export const DAY =
  '(?:\\d{4}-\\d{1,2}-\\d{1,2}|(?:\\d{4}年)?\\d{1,2}月\\d{1,2}[日号]|今天|今日|今晚|明天|明日|明晚|后天|the day after tomorrow|today|tonight|tomorrow)';

/**
 * Converts a day word to `YYYY-MM-DD`, relative to `today`. An impossible day (2024-02-31) is kept as written, so that the tool reports it.
 */
export function readDay(word: string, today: string): string {
  const text = word.toLowerCase();
  if (/^(今天|今日|今晚|today|tonight)$/.test(text)) return today;
  if (/^(明天|明日|明晚|tomorrow)$/.test(text)) return addDays(today, 1);
  if (/^(后天|the day after tomorrow)$/.test(text)) return addDays(today, 2);
  const numbers = text.match(/\d+/g) ?? [];
  const [day, month, year = today.slice(0, 4)] = numbers.toReversed();
  return [year, month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
}
