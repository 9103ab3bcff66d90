import { css } from 'lit';

export const styles = css`
  .actions {
    flex-wrap: wrap;
  }

  .thumb.down svg {
    transform: rotate(180deg);
  }

  .thumb[aria-pressed='true'] {
    color: var(--_accent);
    opacity: 1;
  }

  .thumb[aria-pressed='true'] svg {
    fill: color-mix(in oklab, currentColor, transparent 75%);
  }

  .picker {
    display: inline-flex;
    align-items: center;
    color: var(--_muted);
    font-size: var(--_small);
    font-variant-numeric: tabular-nums;
  }

  .picker button {
    width: 26px;
  }

  .picker button[aria-disabled='true'] {
    opacity: 0.35;
  }

  .picker .previous:dir(ltr) svg,
  .picker .next:dir(rtl) svg {
    transform: rotate(180deg);
  }

  .stay {
    display: flex;
    /* Below the buttons, whatever follows there. */
    flex: 1 0 100%;
    order: 1;
    align-items: center;
    gap: 6px;
    padding-inline: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .user .actions,
  .user .stay {
    justify-content: flex-end;
  }

  .reason {
    display: grid;
    flex: 1 0 100%;
    order: 2;
    gap: 8px;
    margin-block-start: 4px;
    padding-inline-start: 8px;
  }

  .reason textarea {
    width: 100%;
    max-height: 40vh;
    margin: 0;
    padding: 8px 12px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
    font: var(--_size) / 1.45 var(--_font);
    field-sizing: content;
    resize: none;
    unicode-bidi: plaintext;
  }

  .ends {
    display: flex;
    justify-content: flex-end;
    gap: 8px;
  }

  @media (pointer: coarse) {
    .picker button {
      width: 44px;
    }

    .reason textarea {
      /* Smaller text makes a phone zoom in. */
      font-size: max(16px, var(--_size));
    }
  }

  @media (forced-colors: active) {
    .thumb[aria-pressed='true'] {
      border-color: Highlight;
    }
  }
`;
