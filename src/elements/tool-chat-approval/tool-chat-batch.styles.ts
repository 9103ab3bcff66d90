import { css } from 'lit';
import { decisionStyles } from './tool-chat-approval.styles.js';

export const styles = css`
  ${decisionStyles}

  :host {
    display: block;
    font: var(--_size) / 1.45 var(--_font);
  }

  .batch {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 10px 16px;
    padding: 10px 12px;
    border: 1px solid color-mix(in oklab, var(--_warn) 38%, var(--_line));
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
  }

  .what {
    display: grid;
    align-items: center;
    flex: 1 1 180px;
    min-width: 0;
    font-size: var(--_small);
    overflow-wrap: anywhere;
  }

  .what > * {
    grid-area: 1 / 1;
  }

  .what .hint {
    color: var(--_warn);
  }

  /* One takes the space of the other, so that no button moves just before it is pressed. */
  .what .over {
    visibility: hidden;
  }

  .batch .buttons {
    flex: 1 1 auto;
  }

  @media (max-height: 420px) {
    .batch {
      row-gap: 4px;
      padding: 4px 8px;
    }
  }
`;
