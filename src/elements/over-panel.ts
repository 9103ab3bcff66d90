/** What covers a panel is to be closed. Goes no further than to the panel. */
export class OverPanelCloseEvent extends Event {
  static readonly type = 'tool-chat-over-close';
  /** People go on in the text field. */
  readonly toField: boolean;

  constructor(toField = false) {
    super(OverPanelCloseEvent.type);
    this.toField = toField;
  }
}
