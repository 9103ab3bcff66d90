/** Forwards requests of the panel's parts to the conversation, or handles those that concern the panel itself. */
import type { ConversationSurface } from '../../model/snapshot.js';
import type { Request } from '../panel-requests.js';

export interface PanelActions {
  /** Scrolls to the newest message and keeps it visible. */
  stick(): void;
  /** Brings the card of a call into view. */
  reveal(requestId: string): void;
  /** Reopens the dialog with the approvals. */
  resume(): void;
}

export function routeRequest(request: Request, surface: ConversationSurface, panel: PanelActions): void {
  if (request.type === 'send') {
    panel.stick();
    // Repeat this after the click, because a click in a card of the log releases the end.
    requestAnimationFrame(() => panel.stick());
    const { text, type: _type, ...options } = request;
    surface.send(text, options);
  } else if (request.type === 'stop') surface.stop();
  else if (request.type === 'draft') surface.draft?.(request.text);
  else if (request.type === 'continue') surface.continue();
  else if (request.type === 'reveal') panel.reveal(request.requestId);
  else if (request.type === 'ask') panel.resume();
  else if (request.type === 'retry') surface.retry();
  else if (request.type === 'edit') surface.edit(request.messageId, request.text);
  else if (request.type === 'message') {
    if (surface.messageActions) request.act(surface.messageActions);
  } else if (request.type === 'undo') surface.undo(request.requestId, request);
  else surface.dismissError();
}
