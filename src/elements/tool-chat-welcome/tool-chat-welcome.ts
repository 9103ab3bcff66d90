/** The content of an empty conversation: suggestions, and a line that says when the assistant asks. */
import { html, nothing, type PropertyValues, css } from 'lit';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import type { ToolChoice } from '../../model/snapshot.js';
import type { Texts } from '../../i18n/en.js';
import { PanelElement } from '../context.js';
import { icons } from '../icons.js';
import { shared } from '../shared.styles.js';
import { defineOnce } from '../define-once.js';

const styles = css`
  :host {
    display: grid;
    gap: 16px;
    inline-size: min(100%, 460px);
    color: var(--_text);
    font: var(--_size) / 1.4 var(--_font);
  }

  ul {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
    gap: 8px;
    margin: 0;
    padding: 0;
    list-style: none;
  }

  button {
    display: flex;
    align-items: flex-start;
    justify-content: flex-start;
    gap: 10px;
    inline-size: 100%;
    block-size: 100%;
    min-height: 44px;
    padding: 10px 12px;
    border-color: var(--_line-strong);
    background: var(--_raised);
    font-weight: 450;
    text-align: start;
    white-space: normal;
    overflow-wrap: anywhere;
  }

  button:hover {
    background: var(--_subtle);
  }

  .sign {
    flex: none;
    display: grid;
    place-items: center;
    inline-size: 18px;
    block-size: 1.4em;
    color: var(--_accent);
  }

  b {
    display: block;
    font-weight: 560;
    font-size: var(--_small);
  }

  .say {
    color: var(--_muted);
    font-size: var(--_small);
  }

  p {
    margin: 0;
    color: var(--_muted);
    font-size: var(--_small);
    text-align: center;
    text-wrap: balance;
  }
`;

/** Largest number of starters. `/` opens the list with all of them. */
const MAX_STARTERS = 4;

interface Starter {
  icon: unknown;
  label: string;
  /** The text that the starter writes into the field. */
  text: string;
}

/** Reports the chosen starter: `text` is written into the field. The event goes no further than the panel. */
export class StartEvent extends Event {
  static readonly type = 'tool-chat-start';
  readonly text: string;

  constructor(text: string) {
    super(StartEvent.type);
    this.text = text;
  }
}

/**
 * @summary Suggestions that fill the text field, and a line that says when the assistant asks for approval.
 * @tagname tool-chat-welcome
 * @csspart starter - A suggestion in an empty conversation.
 * @fires tool-chat-start - A starter was pressed. `text`.
 */
export class ToolChatWelcome extends PanelElement {
  static override styles = [shared, styles];
  static override properties = {
    templates: { attribute: false },
    hasTools: { attribute: false },
    tools: { state: true },
  };

  declare templates: readonly ComposerTemplate[];
  /** True if the conversation has tools. */
  declare hasTools: boolean;
  declare protected tools: readonly ToolChoice[];

  constructor() {
    super();
    this.templates = [];
    this.hasTools = false;
    this.tools = [];
  }

  override render() {
    const texts = this.services?.texts;
    if (!texts) return nothing;
    const starters = this.#starters();
    const intro = introText(this.tools, texts);
    return html`${
      starters.length > 0
        ? html`<ul>
            ${starters.map(
              ({ icon, label, text }) =>
                html`<li>
                  <button type="button" part="starter" @click=${() => this.dispatchEvent(new StartEvent(text))}>
                    <span class="sign" aria-hidden="true">${icon}</span
                    ><span
                      ><b><bdi>${label}</bdi></b
                      >${text.trim() === label ? nothing : html`<bdi class="say">${text}</bdi>`}</span
                    >
                  </button>
                </li>`,
            )}
          </ul>`
        : nothing
    }${intro ? html`<p>${intro}</p>` : nothing}`;
  }

  protected override willUpdate(changed: PropertyValues) {
    if (!changed.has('hasTools')) return;
    this.tools = [];
    // If the tools cannot be read, there are no starters, but everything else works.
    if (this.hasTools)
      void this.services?.surface?.tools().then(
        (tools) => (this.tools = tools),
        () => undefined,
      );
  }

  #starters(): Starter[] {
    const suggesting = this.tools.filter(({ says }) => says !== undefined);
    return [
      ...this.templates.map(({ label, text }) => ({ icon: icons.template, label, text })),
      ...suggesting.map(({ icon, label, says = '' }) => ({ icon: icon ?? icons.tool, label, text: says })),
    ].slice(0, MAX_STARTERS);
  }
}

/** Returns the text that says when the assistant asks. It must be true, so it is empty if a tool changes something without asking. */
function introText(tools: readonly ToolChoice[], texts: Texts): string {
  const acting = tools.filter(({ risk }) => risk !== 'query');
  const asking = acting.filter(({ asks }) => asks);
  if (asking.length === 0) return '';
  return asking.length === acting.length ? texts.asksBefore : texts.asksBeforeHarm;
}

defineOnce('tool-chat-welcome', ToolChatWelcome);

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-welcome': ToolChatWelcome;
  }
}
