import { css } from 'lit';

export const inspectorStyles = css`
  :host {
    display: flex;
    min-width: 0;
    min-height: 20rem;
    color-scheme: light dark;
  }

  :host([hidden]) {
    display: none;
  }

  :host([docked]) {
    position: fixed;
    z-index: var(--tool-chat-z-index, 2147483000);
    inset-block: 0;
    width: min(30rem, 100vw);
    box-shadow: var(--_shadow);
  }

  /* Sides of the window, whatever the page's direction. */
  :host([docked='left']) {
    left: 0;
  }

  :host([docked='right']) {
    right: 0;
  }

  section {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-width: 0;
    background: var(--_bg);
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  section[data-theme='light'] {
    color-scheme: light;
  }

  section[data-theme='dark'] {
    color-scheme: dark;
  }

  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    min-height: 48px;
    padding-block: 6px;
    padding-inline: var(--_gutter) 10px;
  }

  h2 {
    flex: 1;
    font-size: calc(var(--_size) * 1.02);
    font-weight: 620;
  }

  .phase {
    padding: 2px 9px;
    border-radius: 99px;
    background: var(--_hover);
    font: 550 var(--_tiny) / 1.5 var(--_mono);
  }

  .phase[data-busy='true'] {
    background: var(--_accent-soft);
    color: var(--_accent);
  }

  .tabs {
    display: flex;
    flex: none;
    gap: 2px;
    padding-inline: calc(var(--_gutter) - 10px);
    border-block-end: 1px solid var(--_line);
    overflow: auto hidden;
    scrollbar-width: thin;
  }

  .tabs button {
    flex: none;
    min-height: 36px;
    padding: 0 10px;
    border: 0;
    border-block-end: 2px solid transparent;
    border-radius: 0;
    background: none;
    color: var(--_muted);
    font-weight: 550;
  }

  .tabs button:hover {
    color: var(--_text);
  }

  .tabs button[aria-selected='true'] {
    border-block-end-color: var(--_accent);
    color: var(--_text);
  }

  .tabs button:focus-visible {
    outline-offset: -3px;
  }

  .page {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-height: 0;
    padding: 14px var(--_gutter) 18px;
    container-type: inline-size;
    overflow: auto;
  }

  tool-chat-inspector-bench,
  tool-chat-inspector-run {
    flex: none;
  }

  tool-chat-inspector-matrix,
  tool-chat-inspector-check {
    flex: none;
    margin-block-start: 22px;
    padding-block-start: 14px;
    border-block-start: 1px solid var(--_line);
  }

  .none {
    margin: auto;
    padding: 20px;
    color: var(--_muted);
    text-align: center;
  }

  @media (forced-colors: active) {
    .tabs button[aria-selected='true'] {
      border-block-end-color: Highlight;
    }
  }
`;
