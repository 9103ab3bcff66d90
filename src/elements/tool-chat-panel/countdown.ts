/** Updates its host four times a second, only while a countdown is shown. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class Countdown implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #timer = 0;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  run(isVisible: boolean): void {
    if (isVisible === Boolean(this.#timer)) return;
    this.hostDisconnected();
    if (isVisible) this.#timer = setInterval(() => this.#host.requestUpdate(), 250) as unknown as number;
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
  }
}
