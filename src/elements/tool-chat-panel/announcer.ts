/** The one voice of the panel: whole sentences, one after the other, politely. */

/**
 * Milliseconds between two sentences: a region that changes faster than it is looked at loses what came first. Where the platform takes
 * sentences itself, it has a queue for them, and gets all of them at once.
 */
const PACE = 120;
/** Of a long answer this much is spoken; the rest is in the log. In UTF-16 units. */
const SPOKEN = 2000;
/** Sentences that stay in the region. */
const KEPT = 12;

type CanNotify = HTMLElement & { ariaNotify?: (text: string) => void };

export class Announcer {
  readonly #region: CanNotify;
  readonly #queue: string[] = [];
  #timer = 0;

  constructor(region: HTMLElement) {
    this.#region = region;
    // Where the platform takes sentences, the region only keeps what was said.
    region.setAttribute('aria-live', this.#region.ariaNotify ? 'off' : 'polite');
  }

  say(sentence: string): void {
    const text = sentence.trim();
    if (!text) return;
    this.#queue.push(text);
    this.#timer ||= setTimeout(this.#next) as unknown as number;
  }

  /** Sentence by sentence. */
  sayAll(text: string, lang: string): void {
    let said = 0;
    for (const sentence of sentences(text, lang)) {
      if (said > SPOKEN) return;
      said += sentence.length;
      this.say(sentence);
    }
  }

  /** Neither the messages so far nor the later ones are kept. */
  forget(): void {
    this.disconnect();
    this.#region.replaceChildren();
  }

  disconnect(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#queue.length = 0;
  }

  readonly #next = () => {
    const takesAll = this.#region.ariaNotify !== undefined;
    const now = this.#queue.splice(0, takesAll ? Infinity : 1);
    this.#timer = takesAll || now.length === 0 ? 0 : (setTimeout(this.#next, PACE) as unknown as number);
    for (const sentence of now) this.#region.ariaNotify?.(sentence);
    // What is changed in it costs a frame of the whole panel: of many sentences those are written that stay.
    for (const sentence of now.slice(-KEPT)) {
      const line = document.createElement('div');
      line.textContent = sentence;
      this.#region.append(line);
    }
    while (this.#region.childElementCount > KEPT) this.#region.firstElementChild?.remove();
  };
}

function* sentences(text: string, lang: string): Generator<string> {
  const segmenter = new Intl.Segmenter(lang || undefined, { granularity: 'sentence' });
  for (const { segment } of segmenter.segment(text.slice(0, 2 * SPOKEN))) if (segment.trim()) yield segment.trim();
}
