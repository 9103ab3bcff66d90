/** Announces sentences of the panel to screen readers, one after the other, politely. */
import type { ViewSnapshot } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import type { ToolChatMessage } from '../tool-chat-message/tool-chat-message.js';
import { statusLine } from './frame.js';

/**
 * Pause between two sentences, in milliseconds: a live region that changes too fast loses the first ones. With `ariaNotify`, the platform
 * has its own queue and receives all of them at once.
 */
const PAUSE = 120;
/** Longest announced part of an answer, in UTF-16 units. The rest is in the log. */
const MAX_SPOKEN = 2000;
/** Number of sentences that stay in the live region. */
const MAX_LINES = 12;

type CanNotify = HTMLElement & { ariaNotify?: (text: string) => void };

export class Announcer {
  readonly #region: CanNotify;
  readonly #queue: string[] = [];
  #timer = 0;

  constructor(region: HTMLElement) {
    this.#region = region;
    // With `ariaNotify`, the region only keeps the announced sentences.
    region.setAttribute('aria-live', this.#region.ariaNotify ? 'off' : 'polite');
  }

  say(sentence: string): void {
    const text = sentence.trim();
    if (!text) return;
    this.#queue.push(text);
    this.#timer ||= setTimeout(this.#next) as unknown as number;
  }

  /** Announces a text sentence by sentence. */
  sayAll(text: string, lang: string): void {
    let length = 0;
    for (const sentence of sentences(text, lang)) {
      if (length > MAX_SPOKEN) return;
      length += sentence.length;
      this.say(sentence);
    }
  }

  /** Removes the announced and the queued sentences. */
  clear(): void {
    this.disconnect();
    this.#region.replaceChildren();
  }

  disconnect(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#queue.length = 0;
  }

  readonly #next = () => {
    const hasQueue = this.#region.ariaNotify !== undefined;
    const now = this.#queue.splice(0, hasQueue ? Infinity : 1);
    this.#timer = hasQueue || now.length === 0 ? 0 : (setTimeout(this.#next, PAUSE) as unknown as number);
    for (const sentence of now) this.#region.ariaNotify?.(sentence);
    // Each change of the region costs a frame of the whole panel, so only sentences that would stay are written.
    for (const sentence of now.slice(-MAX_LINES)) {
      const line = document.createElement('div');
      line.textContent = sentence;
      this.#region.append(line);
    }
    while (this.#region.childElementCount > MAX_LINES) this.#region.firstElementChild?.remove();
  };
}

function* sentences(text: string, lang: string): Generator<string> {
  const segmenter = new Intl.Segmenter(lang || undefined, { granularity: 'sentence' });
  for (const { segment } of segmenter.segment(text.slice(0, 2 * MAX_SPOKEN))) if (segment.trim()) yield segment.trim();
}

interface Panel {
  texts(): Texts | undefined;
  lang(): string;
  announcer(): Announcer | undefined;
  /** Returns the rendered messages in list order; those at the end are always rendered. */
  messages(): ToolChatMessage[];
}

/** Announces changes of the conversation, and an answer when it is complete. */
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

/** Returns the announcements of a new view, other than answers and cards. */
function announcementsFor(before: ViewSnapshot | undefined, view: ViewSnapshot, texts: Texts): string[] {
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
