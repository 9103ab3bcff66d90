/** Announces changes of the conversation, and an answer when it is complete. */
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import type { ToolChatMessage } from '../tool-chat-message/tool-chat-message.js';
import type { Announcer } from './announcer.js';
import { announcementsFor } from './announcements.js';

interface Panel {
  texts(): Texts | undefined;
  lang(): string;
  announcer(): Announcer | undefined;
  /** Returns the rendered messages in list order; those at the end are always rendered. */
  messages(): ToolChatMessage[];
}

export class ChangeAnnouncer {
  readonly #panel: Panel;
  /** Id of the answer being written. */
  #runningId: string | undefined;

  constructor(panel: Panel) {
    this.#panel = panel;
  }

  announce(before: ViewSnapshot | undefined, view: ViewSnapshot): void {
    const texts = this.#panel.texts();
    if (!texts) return;
    // The conversation was cleared or replaced, so its announcements are removed.
    if (before && ((before.views.length > 0 && view.views.length === 0) || before.opened !== view.opened)) this.#panel.announcer()?.clear();
    for (const sentence of announcementsFor(before, view, texts)) this.#panel.announcer()?.say(sentence);
    const last = view.views.findLast(({ message }) => message.role === 'assistant')?.message;
    if (last?.status.type === 'running') this.#runningId = last.id;
    else if (last && last.id === this.#runningId) {
      this.#runningId = undefined;
      const at = view.views.findIndex(({ message }) => message.id === last.id);
      // An error is announced separately.
      void this.#announceAnswer(at - view.views.length, view.failure ? '' : view.views[at]?.note);
    }
  }

  /** Announces the answer. `at` is counted from the end, where all messages are rendered. */
  async #announceAnswer(at: number, note = ''): Promise<void> {
    const text = await this.#panel.messages().at(at)?.spokenText();
    const texts = this.#panel.texts();
    if (text && texts) this.#panel.announcer()?.sayAll(texts.saidAnswer(text), this.#panel.lang());
    this.#panel.announcer()?.say(note);
  }
}
