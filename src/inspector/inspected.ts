/**
 * What the inspector may know of a conversation. It is looked up where it is needed and stands on no element: what the conversation gives to
 * its own elements is no page's to have.
 */
import { internalsOf, type Internals } from '../conversation/host/internals.js';
import type { ToolChat } from '../elements/tool-chat/tool-chat.js';
import type { TraceEntry } from '../model/session.js';
import type { ToolDefinition } from '../tools/tool.js';
import type { CardView } from '../model/calls.js';

/** What is looked at. */
export type Inspected = ToolChat;

type Look = Pick<Internals, 'chart' | 'trace' | 'surface' | 'everyTool' | 'sent'>;

/** Undefined until it can be talked to, and for an element of another copy of the script. */
export function lookInto(chat: Inspected | undefined): Look | undefined {
  if (!chat) return undefined;
  try {
    return internalsOf(chat);
  } catch {
    return undefined;
  }
}

export const toolsOf = (chat: Inspected | undefined): readonly ToolDefinition[] => lookInto(chat)?.everyTool() ?? [];
/** What the model was told last, as it left the page. */
export const sentOf = (chat: Inspected | undefined): unknown => lookInto(chat)?.sent();
export const decisionsOf = (chat: Inspected | undefined): readonly TraceEntry[] => lookInto(chat)?.trace.entries ?? [];
export const cardsOf = (chat: Inspected | undefined): readonly CardView[] => Object.values(lookInto(chat)?.surface.view.cards ?? {});

/** Told at most once a frame of whatever may have changed. */
export function follow(chat: Inspected, changed: () => void): () => void {
  const look = lookInto(chat);
  if (!look) return () => undefined;
  let due = 0;
  const soon = () => {
    due ||= requestAnimationFrame(() => {
      due = 0;
      changed();
    });
  };
  const { unsubscribe } = look.chart.subscribe(soon);
  const off = look.surface.subscribe(soon);
  return () => {
    unsubscribe();
    off();
    cancelAnimationFrame(due);
  };
}
