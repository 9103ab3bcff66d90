/** What is said aloud when it comes up, beside answers and cards. */
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
  // Once: the bar is there for whoever wants to know how far it is.
  if (loaded !== undefined && before?.loaded === undefined) news.push(statusLine(view, texts));
  return news;
}
