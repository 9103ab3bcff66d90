/** The views that cover a panel share these: how they close, and their styles. */
import { css } from 'lit';

/** Asks the panel to close the view that covers it. The event goes no further than the panel. */
export class OverlayCloseEvent extends Event {
  static readonly type = 'tool-chat-over-close';
  /** True if the focus moves to the text field. */
  readonly toField: boolean;

  constructor(toField = false) {
    super(OverlayCloseEvent.type);
    this.toField = toField;
  }
}

/** Styles of the views that cover a panel: the list of conversations, the menu and its pages. */
export const overlayStyles = css`
  :host {
    position: absolute;
    inset: 0;
    z-index: 2;
    display: flex;
    background: var(--_bg);
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  section {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-width: 0;
  }

  header {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 52px;
    padding-block: 8px;
    padding-inline: var(--_gutter) 10px;
    border-block-end: 1px solid var(--_line);
  }

  h2 {
    flex: 1;
    font-size: calc(var(--_size) * 1.02);
    font-weight: 620;
  }

  h3 {
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }
`;
