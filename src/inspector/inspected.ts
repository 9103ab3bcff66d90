/**
 * Access of the inspector to the internals of a conversation. It is looked up when needed and is not on any element, because pages must not
 * get it.
 */
import { internalsOf, type Internals } from '../conversation/host/internals.js';
import type { ToolChat } from '../elements/tool-chat/tool-chat.js';
import type { TraceEntry } from '../model/session.js';
import type { ToolDefinition } from '../tools/tool.js';
import type { CardView } from '../model/calls.js';
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { inspectorStringsFor, type InspectorStrings } from './inspector-strings.js';

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

/**
 * Base class of the inspector's pages: an element that inspects a chat in the chat's language and re-renders when the chat may have
 * changed.
 */
export class InspectorPart extends LitElement {
  static override properties: PropertyDeclarations = { chat: { attribute: false }, strings: { attribute: false } };

  /** The inspected chat. */
  declare chat: Inspected | undefined;
  declare strings: InspectorStrings;

  #unsubscribe: (() => void) | undefined;

  constructor() {
    super();
    this.strings = inspectorStringsFor('en');
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#subscribe();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('chat')) this.#subscribe();
  }

  /** Called at most once per frame while the chat changes. */
  protected inspectorUpdated(): void {
    this.requestUpdate();
  }

  #subscribe() {
    this.#unsubscribe?.();
    this.#unsubscribe = this.chat && this.isConnected ? subscribeTo(this.chat, () => this.inspectorUpdated()) : undefined;
  }
}
