/** Events for the owner of a panel. They do not leave the panel's tree. */

/** The user wants to close the panel. */
export class PanelCloseEvent extends Event {
  static readonly type = 'tool-chat-panel-close';

  constructor() {
    super(PanelCloseEvent.type, { bubbles: true });
  }
}

/** The panel was moved to another document. */
export class PanelAdoptedEvent extends Event {
  static readonly type = 'tool-chat-panel-adopted';

  constructor() {
    super(PanelAdoptedEvent.type);
  }
}
