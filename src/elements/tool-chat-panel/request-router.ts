/** Forwards requests of the panel's parts to the conversation, or handles those that concern the panel itself. */
import type { ConversationSurface } from '../../model/snapshot.js';
import type { Request } from '../panel-requests.js';

export interface OwnAffairs {
  /** Scrolls to the newest message and keeps it visible. */
  stick(): void;
  /** Brings the card of a call into view. */
  reveal(requestId: string): void;
  /** Reopens the dialog with the approvals. */
  ask(): void;
}

export function passOn(request: Request, surface: ConversationSurface, own: OwnAffairs): void {
  if (request.type === 'send') {
    own.stick();
    // Repeat this after the click, because a click in a card of the log releases the end.
    requestAnimationFrame(() => own.stick());
    const { text, type: _type, ...along } = request;
    surface.send(text, along);
  } else if (request.type === 'stop') surface.stop();
  else if (request.type === 'draft') surface.draft?.(request.text);
  else if (request.type === 'continue') surface.continue();
  else if (request.type === 'reveal') own.reveal(request.requestId);
  else if (request.type === 'ask') own.ask();
  else if (request.type === 'retry') surface.retry();
  else if (request.type === 'edit') surface.edit(request.messageId, request.text);
  else if (request.type === 'message') {
    if (surface.messageActions) request.act(surface.messageActions);
  } else if (request.type === 'undo') surface.undo(request.requestId, request);
  else surface.dismissError();
}
