/** Groups conversations by the day of their last message, with localized names. */
import type { KeptConversation } from '../../model/session.js';
import type { Texts } from '../../i18n/en.js';

export interface DayGroup {
  day: string;
  items: KeptConversation[];
}

/** @param list conversations, newest first */
export function groupByDay(list: readonly KeptConversation[], lang: string, texts: Texts, now = new Date()): DayGroup[] {
  const groups: DayGroup[] = [];
  for (const one of list) {
    const day = dayLabel(new Date(one.updatedAt), lang, texts, now);
    const last = groups.at(-1);
    if (last?.day === day) last.items.push(one);
    else groups.push({ day, items: [one] });
  }
  return groups;
}

function dayLabel(at: Date, lang: string, texts: Texts, now: Date): string {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days <= 0) return texts.historyToday;
  if (days === 1) return texts.historyYesterday;
  const isThisYear = at.getFullYear() === now.getFullYear();
  return format(at, lang, days < 7 ? { weekday: 'long' } : { month: 'long', day: 'numeric', ...(!isThisYear && { year: 'numeric' }) });
}

export const timeOf = (at: number, lang: string): string => format(new Date(at), lang, { hour: 'numeric', minute: '2-digit' });

/** Formats a date, in the browser's language if the page's is invalid. */
function format(at: Date, lang: string, options: Intl.DateTimeFormatOptions): string {
  try {
    return at.toLocaleString(lang || undefined, options);
  } catch {
    return at.toLocaleString(undefined, options);
  }
}
