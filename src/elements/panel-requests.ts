import type { MessageActions } from '../model/snapshot.js';

/** Requests flow up: what a part of the panel asks for. Each bubbles to the panel and no further, and none can approve anything. */
import type { Attachment } from '../model/messages.js';

export type Request =
  /** `tool`: the name of the tool that the message is for. */
  | { type: 'send'; text: string; tool?: string; attachments?: readonly Attachment[] }
  /** Another text instead of what the person said. */
  | { type: 'edit'; messageId: string; text: string }
  | { type: 'stop' | 'retry' | 'continue' | 'dismiss' }
  /** What stands in the composer. */
  | { type: 'draft'; text: string }
  /** Brings the card of a call into view. */
  | { type: 'reveal'; requestId: string }
  /** Opens the dialog of the questions again. */
  | { type: 'ask' }
  /** What can be done with a message. */
  | { type: 'message'; act(actions: MessageActions): void }
  /** With `back` also what later calls did. */
  | { type: 'undo'; requestId: string; back: boolean };

export class PanelRequestEvent extends Event {
  static readonly type = 'tool-chat-request';

  readonly request: Request;

  constructor(request: Request) {
    super(PanelRequestEvent.type, { bubbles: true });
    this.request = request;
  }
}

/** Told to whoever placed the panel: the person wants it closed. Does not leave the tree the panel stands in. */
export class PanelCloseEvent extends Event {
  static readonly type = 'tool-chat-panel-close';

  constructor() {
    super(PanelCloseEvent.type, { bubbles: true });
  }
}

/** Told to whoever placed the panel: it has come to another document. */
export class PanelAdoptedEvent extends Event {
  static readonly type = 'tool-chat-panel-adopted';

  constructor() {
    super(PanelAdoptedEvent.type);
  }
}
