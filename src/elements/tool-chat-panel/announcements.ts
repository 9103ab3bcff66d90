/** Returns the announcements of a new view, other than answers and cards. */
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { statusLine } from './status-line.js';

export function announcementsFor(before: ViewSnapshot | undefined, view: ViewSnapshot, texts: Texts): string[] {
  const sentences: string[] = [];
  const { failure, notices = [], offline, loaded } = view;
  if (failure && failure !== before?.failure && failure.lines.join() !== before?.failure?.lines.join())
    sentences.push(texts.saidError(failure.lines.join(' ')));
  for (const { id, text } of notices) if (!before?.notices?.some((one) => one.id === id)) sentences.push(text);
  if (offline && !before?.offline) sentences.push(texts.offline);
  // Announced once; the progress bar shows the rest.
  if (loaded !== undefined && before?.loaded === undefined) sentences.push(statusLine(view, texts));
  return sentences;
}
