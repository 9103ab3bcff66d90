/** Chooses light or dark like the page, or like the system if the page sets no `color-scheme`. */
import type { ReactiveController, ReactiveControllerHost } from 'lit';

export class ColorSchemeController implements ReactiveController {
  readonly #panel: ReactiveControllerHost & HTMLElement & { theme: string };
  #isRead = false;
  // Pages switch by an attribute of their root or body. Changes of a computed style have no event.
  readonly #page = new MutationObserver(() => this.update());

  constructor(panel: ReactiveControllerHost & HTMLElement & { theme: string }) {
    this.#panel = panel;
    panel.addController(this);
  }

  hostConnected(): void {
    const { documentElement, body } = this.#panel.ownerDocument;
    for (const element of [documentElement, body as HTMLElement | null]) if (element) this.#page.observe(element, { attributes: true });
    this.#isRead = false;
  }

  hostDisconnected(): void {
    this.#page.disconnect();
  }

  /** Reads the style only with the first rendering in a place, because it makes the browser compute all styles of the page. */
  hostUpdate(): void {
    if (!this.#isRead) this.update();
  }

  update(): void {
    this.#isRead = true;
    const panel = this.#panel;
    const parent = panel.assignedSlot ?? panel.parentElement ?? (panel.getRootNode() as Partial<ShadowRoot>).host;
    const declared = parent ? getComputedStyle(parent).colorScheme : 'normal';
    panel.style.colorScheme = panel.theme === 'auto' && (declared === 'normal' || declared === '') ? 'light dark' : '';
  }
}
