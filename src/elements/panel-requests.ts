import type { MessageActions } from '../model/snapshot.js';

/** Requests of the parts of a panel. Each event bubbles to the panel and no further, and none can approve anything. */
import type { Attachment } from '../model/messages.js';

export type Request =
  /** `tool`: name of the tool that the user chose for the message. */
  | { type: 'send'; text: string; tool?: string; attachments?: readonly Attachment[] }
  /** Replaces the text of a message of the user. */
  | { type: 'edit'; messageId: string; text: string }
  | { type: 'stop' | 'retry' | 'continue' | 'dismiss' }
  /** The text in the composer. */
  | { type: 'draft'; text: string }
  /** Brings the card of a call into view. */
  | { type: 'reveal'; requestId: string }
  /** Reopens the dialog with the approvals. */
  | { type: 'ask' }
  /** Runs an action on a message. */
  | { type: 'message'; act(actions: MessageActions): void }
  /** With `back`, later calls are undone too. */
  | { type: 'undo'; requestId: string; back: boolean };

export class PanelRequestEvent extends Event {
  static readonly type = 'tool-chat-request';

  readonly request: Request;

  constructor(request: Request) {
    super(PanelRequestEvent.type, { bubbles: true });
    this.request = request;
  }
}

/** Tells the owner of the panel that the user wants to close it. The event does not leave the panel's tree. */
export class PanelCloseEvent extends Event {
  static readonly type = 'tool-chat-panel-close';

  constructor() {
    super(PanelCloseEvent.type, { bubbles: true });
  }
}

/** Tells the owner of the panel that it was moved to another document. */
export class PanelAdoptedEvent extends Event {
  static readonly type = 'tool-chat-panel-adopted';

  constructor() {
    super(PanelAdoptedEvent.type);
  }
}
