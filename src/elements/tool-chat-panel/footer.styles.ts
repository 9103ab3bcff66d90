/** Styles of the footer: the bars, the status line, and the container of the text field. */
import { css } from 'lit';

export const footerStyles = css`
  .results {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 6px 12px;
    margin-block-start: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .latest {
    flex: none;
    min-height: 26px;
    margin-inline-start: auto;
    padding-inline: 8px 12px;
    border-color: var(--_line-strong);
    border-radius: calc(var(--_radius) * 8);
    font-size: var(--_tiny);
  }

  @keyframes rise {
    from {
      translate: 0 8px;
    }
  }

  tool-chat-grants {
    display: block;
    max-block-size: 144px;
    overflow: auto;
  }

  /* With little height the bars scroll, so that the text field is never cut off. */
  footer {
    display: flex;
    flex: 0 1 auto;
    flex-direction: column;
    min-height: 0;
    width: 100%;
    max-width: calc(var(--tool-chat-max-width, 760px));
    margin-inline: auto;
    padding: 0 var(--_gutter) max(var(--_gutter) * 0.7, env(safe-area-inset-bottom));
  }

  .banners {
    flex: 0 1 auto;
    min-height: 0;
    overflow: auto;
    scrollbar-width: thin;
  }

  /* Decision buttons never scroll out of view. */
  tool-chat-batch {
    position: sticky;
    inset-block: 0;
    z-index: 1;
  }

  .banners:has(tool-chat-batch) {
    min-height: 58px;
  }

  .line,
  tool-chat-composer {
    flex: none;
  }

  .line {
    display: flex;
    align-items: center;
  }

  tool-chat-batch {
    display: block;
    margin-block: 8px 2px;
  }

  .status {
    display: flex;
    flex: 1;
    min-width: 0;
    align-items: center;
    gap: 8px;
    min-height: 28px;
    padding-inline: 4px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .spinner {
    flex: none;
    width: 12px;
    height: 12px;
  }

  /* No spinner while the panel waits for the user. */
  .status[data-waiting] .spinner {
    width: 7px;
    height: 7px;
    margin-inline: 2px 3px;
    border: 0;
    background: var(--_warn);
    animation: none;
  }

  .words {
    padding: 1px 8px;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 8);
    color: var(--_text);
  }

  .status progress {
    flex: 1;
    max-width: 200px;
  }

  .error {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 10px;
    margin-block-start: 8px;
    padding-block: 8px;
    padding-inline: 14px 8px;
    border: 1px solid color-mix(in oklab, var(--_bad) 26%, transparent);
    border-radius: var(--_radius);
    background: var(--_bad-soft);
    font-size: var(--_small);
    animation: rise 0.2s var(--_ease);
  }

  .error .sign {
    color: var(--_bad);
  }

  .error p {
    flex: 1 1 140px;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  /* With advice below it, the message needs the full width: the buttons move below. */
  .error p:has(> * + *) {
    flex-basis: 220px;
  }

  .error p > * {
    display: block;
  }

  .error strong {
    font-weight: 580;
  }

  .error p span {
    color: var(--_muted);
  }

  .error a {
    color: var(--_accent);
  }

  .error[data-retrying] {
    border-color: var(--_line);
    background: var(--_subtle);
    color: var(--_muted);
  }

  .error tool-chat-error-details {
    flex-basis: 100%;
    /* Space for its row of buttons, so that loading it late does not move other buttons. */
    min-block-size: 30px;
  }

  .error.notice,
  .error[data-offline] {
    border-color: var(--_line);
    background: var(--_subtle);
  }

  .actions {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 4px;
    margin-inline-start: auto;
  }

  .actions button {
    min-height: 30px;
  }

  .actions button:not(.square) {
    padding-inline: 11px;
  }

  @media (max-height: 420px) {
    .status {
      min-height: 20px;
    }
  }

  @container (max-width: 420px) {
    footer {
      padding-inline: 12px;
    }
  }

  @media (pointer: coarse) {
    .actions button {
      min-height: 44px;
    }
  }
`;
