/**
 * Base class of the inspector's pages: an element that inspects a chat in the chat's language and re-renders when the chat may have
 * changed.
 */
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { subscribeTo, type Inspected } from './inspected.js';
import { inspectorStringsFor, type InspectorStrings } from './inspector-strings.js';

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
