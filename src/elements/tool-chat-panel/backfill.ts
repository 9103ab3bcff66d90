/**
 * A long history is drawn from its end, a portion a frame: it can be read, and written under, while what lies further up is still missing.
 * Groups that are missing are there, but empty; off screen, layout takes them for as high as any other.
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Groups of messages that are drawn in one frame. */
const PORTION = 4;

export class Backfill implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #first = 0;
  #count = 0;
  #frame = 0;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Which of so many groups is the first to be drawn now. */
  from(count: number): number {
    if (count - this.#count > PORTION) this.#first = count;
    this.#first = Math.min(this.#first, Math.max(0, count - PORTION));
    this.#count = count;
    if (this.#first > 0)
      this.#frame ||= requestAnimationFrame(() => {
        this.#frame = 0;
        this.#first = Math.max(0, this.#first - PORTION);
        this.#host.requestUpdate();
      });
    return this.#first;
  }

  hostDisconnected(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }
}
