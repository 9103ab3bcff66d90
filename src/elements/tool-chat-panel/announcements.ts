/** Returns the announcements of a new view, other than answers and cards. */
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { statusLine } from './status-line.js';

export function newsIn(before: ViewSnapshot | undefined, view: ViewSnapshot, texts: Texts): string[] {
  const news: string[] = [];
  const { failure, notices = [], offline, loaded } = view;
  if (failure && failure !== before?.failure && failure.lines.join() !== before?.failure?.lines.join())
    news.push(texts.saidError(failure.lines.join(' ')));
  for (const { id, text } of notices) if (!before?.notices?.some((one) => one.id === id)) news.push(text);
  if (offline && !before?.offline) news.push(texts.offline);
  // Announced once; the progress bar shows the rest.
  if (loaded !== undefined && before?.loaded === undefined) news.push(statusLine(view, texts));
  return news;
}
