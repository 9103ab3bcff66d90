/** Light or dark with the page: where the page states no `color-scheme`, with the system. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class Scheme implements ReactiveController {
  readonly #panel: ReactiveControllerHost & HTMLElement & { theme: string };
  #looked = false;
  // A page switches by an attribute of its root or body; nothing tells of a computed style.
  readonly #page = new MutationObserver(() => this.look());

  constructor(panel: ReactiveControllerHost & HTMLElement & { theme: string }) {
    this.#panel = panel;
    panel.addController(this);
  }

  hostConnected(): void {
    const { documentElement, body } = this.#panel.ownerDocument;
    for (const element of [documentElement, body as HTMLElement | null]) if (element) this.#page.observe(element, { attributes: true });
    this.#looked = false;
  }

  hostDisconnected(): void {
    this.#page.disconnect();
  }

  /** With the first drawing in this place: what asks for a style has the whole page's styles worked out. */
  hostUpdate(): void {
    if (!this.#looked) this.look();
  }

  look(): void {
    this.#looked = true;
    const panel = this.#panel;
    const around = panel.assignedSlot ?? panel.parentElement ?? (panel.getRootNode() as Partial<ShadowRoot>).host;
    const stated = around ? getComputedStyle(around).colorScheme : 'normal';
    panel.style.colorScheme = panel.theme === 'auto' && (stated === 'normal' || stated === '') ? 'light dark' : '';
  }
}
