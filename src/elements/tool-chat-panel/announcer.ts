/** Announces sentences of the panel to screen readers, one after the other, politely. */

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
