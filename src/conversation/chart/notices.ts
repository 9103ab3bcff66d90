/** What a person should know while the conversation goes on: quiet lines that can be closed. */
import type { Texts } from '../../i18n/en.js';
import type { NoticeView } from '../../model/snapshot.js';

export interface Notice {
  /** A later notice of the same name takes the place of the first. */
  id: string;
  /** In the language of now. */
  text(texts: Texts): string;
  /** What the person can do about it. */
  action?: { label(texts: Texts): string; run(): void };
  /** It was closed without that. */
  closed?(): void;
}

export interface Notices {
  add(notice: Notice): void;
  remove(id: string): void;
  /** The person has read it, or has done what it offers. */
  answer(id: string, how: 'close' | 'act'): void;
  list(texts: Texts): readonly NoticeView[];
}

export function createNotices(changed: () => void): Notices {
  const notices = new Map<string, Notice>();

  function remove(id: string) {
    if (notices.delete(id)) changed();
  }

  return {
    add(notice) {
      notices.set(notice.id, notice);
      changed();
    },
    remove,
    answer(id, how) {
      const notice = notices.get(id);
      remove(id);
      if (how === 'act') notice?.action?.run();
      else notice?.closed?.();
    },
    list: (texts) =>
      [...notices.values()].map(({ id, text, action }) => ({ id, text: text(texts), ...(action && { action: action.label(texts) }) })),
  };
}
