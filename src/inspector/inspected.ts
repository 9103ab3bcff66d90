/**
 * Access of the inspector to the internals of a conversation. It is looked up when needed and is not on any element, because pages must not
 * get it.
 */
import { internalsOf, type Internals } from '../conversation/host/internals.js';
import type { ToolChat } from '../elements/tool-chat/tool-chat.js';
import type { TraceEntry } from '../model/session.js';
import type { ToolDefinition } from '../tools/tool.js';
import type { CardView } from '../model/calls.js';

/** The inspected element. */
export type Inspected = ToolChat;

type InspectedInternals = Pick<Internals, 'chart' | 'trace' | 'surface' | 'everyTool' | 'sent'>;

/** Returns the internals; undefined until the conversation exists, and for an element of another copy of the script. */
export function internalsOfChat(chat: Inspected | undefined): InspectedInternals | undefined {
  if (!chat) return undefined;
  try {
    return internalsOf(chat);
  } catch {
    return undefined;
  }
}

export const toolsOf = (chat: Inspected | undefined): readonly ToolDefinition[] => internalsOfChat(chat)?.everyTool() ?? [];
/** Returns the last request to the model, as it left the page. */
export const sentOf = (chat: Inspected | undefined): unknown => internalsOfChat(chat)?.sent();
export const decisionsOf = (chat: Inspected | undefined): readonly TraceEntry[] => internalsOfChat(chat)?.trace.entries ?? [];
export const cardsOf = (chat: Inspected | undefined): readonly CardView[] => Object.values(internalsOfChat(chat)?.surface.view.cards ?? {});

/** Calls `changed` at most once per frame after anything may have changed. Returns a function that stops it. */
export function subscribeTo(chat: Inspected, changed: () => void): () => void {
  const internals = internalsOfChat(chat);
  if (!internals) return () => undefined;
  let frame = 0;
  const schedule = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      changed();
    });
  };
  const { unsubscribe } = internals.chart.subscribe(schedule);
  const unsubscribeView = internals.surface.subscribe(schedule);
  return () => {
    unsubscribe();
    unsubscribeView();
    cancelAnimationFrame(frame);
  };
}
