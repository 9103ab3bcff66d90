/** Updates its host four times a second, only while a countdown is shown. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class Countdown implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  #clock = 0;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  run(due: boolean): void {
    if (due === Boolean(this.#clock)) return;
    this.hostDisconnected();
    if (due) this.#clock = setInterval(() => this.#host.requestUpdate(), 250) as unknown as number;
  }

  hostDisconnected(): void {
    clearInterval(this.#clock);
    this.#clock = 0;
  }
}
