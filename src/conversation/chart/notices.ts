/** Notices for the user during a conversation: quiet lines that can be closed. */
import type { Texts } from '../../i18n/en.js';
import type { NoticeView } from '../../model/snapshot.js';

export interface Notice {
  /** A later notice with the same id replaces the earlier one. */
  id: string;
  /** Returns the text in the current language. */
  text(texts: Texts): string;
  /** The action that the notice offers. */
  action?: { label(texts: Texts): string; run(): void };
  /** Called if the user closes the notice without the action. */
  closed?(): void;
}

export interface Notices {
  add(notice: Notice): void;
  remove(id: string): void;
  /** Removes a notice that the user closed or whose action the user chose. */
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
