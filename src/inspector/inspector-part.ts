/**
 * Base class of the inspector's pages: an element that inspects a chat in the chat's language and re-renders when the chat may have
 * changed.
 */
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { follow, type Inspected } from './inspected.js';
import { inspectorWordsFor, type InspectorWords } from './inspector-words.js';

export class InspectorPart extends LitElement {
  static override properties: PropertyDeclarations = { chat: { attribute: false }, words: { attribute: false } };

  /** The inspected chat. */
  declare chat: Inspected | undefined;
  declare words: InspectorWords;

  #off: (() => void) | undefined;

  constructor() {
    super();
    this.words = inspectorWordsFor('en');
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#follow();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#off?.();
    this.#off = undefined;
  }

  protected override willUpdate(changed: PropertyValues) {
    if (changed.has('chat')) this.#follow();
  }

  /** Called at most once per frame while the chat changes. */
  protected looked(): void {
    this.requestUpdate();
  }

  #follow() {
    this.#off?.();
    this.#off = this.chat && this.isConnected ? follow(this.chat, () => this.looked()) : undefined;
  }
}
