/**
 * An element in another document than the one its script was loaded in: style sheets belong to the first, so it would stand there
 * without its looks, and a question without its looks must not be answered. It says so instead (faults 72).
 */
export class PanelAdoptedEvent extends Event {
  static readonly type = 'tool-chat-panel-adopted';

  constructor() {
    super(PanelAdoptedEvent.type);
  }
}

/** In the place of everything the element showed. */
export function showMovedAway(element: HTMLElement, message: string): void {
  const box = element.ownerDocument.createElement('p');
  box.role = 'alert';
  box.textContent = message;
  element.shadowRoot?.replaceChildren(box);
}
