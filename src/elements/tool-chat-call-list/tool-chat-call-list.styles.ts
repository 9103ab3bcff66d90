import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_muted);
    font: var(--_size) / 1.45 var(--_font);
  }

  button {
    display: flex;
    align-items: center;
    gap: 8px;
    min-height: 28px;
    padding: 0 4px 0 0;
    border: 0;
    border-radius: var(--_radius-small);
    background: none;
    color: inherit;
    font: inherit;
    font-size: var(--_small);
    text-align: start;
    cursor: pointer;
  }

  button:hover {
    color: var(--_text);
  }

  .sign {
    display: grid;
    place-items: center;
    width: 18px;
  }

  button > svg {
    width: 13px;
    height: 13px;
    rotate: 90deg;
  }

  button[aria-expanded='true'] > svg {
    rotate: -90deg;
  }

  @media (pointer: coarse) {
    button {
      min-height: 44px;
    }
  }
`;
