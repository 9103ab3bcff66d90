/** Asks the panel to close the view that covers it. The event goes no further than the panel. */
export class OverlayCloseEvent extends Event {
  static readonly type = 'tool-chat-over-close';
  /** True if the focus moves to the text field. */
  readonly toField: boolean;

  constructor(toField = false) {
    super(OverlayCloseEvent.type);
    this.toField = toField;
  }
}
