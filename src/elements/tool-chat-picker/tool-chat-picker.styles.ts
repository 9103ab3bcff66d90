import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    font: var(--_size) / 1.35 var(--_font);
  }

  .picker {
    display: flex;
    flex-direction: column;
    max-width: 420px;
    max-height: min(320px, 50vh);
    padding: 4px;
    border: 1px solid var(--_line-strong);
    border-radius: var(--_radius);
    background: var(--_raised);
    color: var(--_text);
    box-shadow: 0 8px 28px -8px light-dark(rgb(20 22 40 / 30%), rgb(0 0 0 / 75%));
  }

  input {
    flex: none;
    margin-block-end: 4px;
    padding: 7px 10px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    color: var(--_text);
    font: inherit;
  }

  input::placeholder {
    color: var(--_muted);
    opacity: 1;
  }

  .list {
    overflow: auto;
    outline: none;
    scrollbar-width: thin;
  }

  .option:hover {
    background: var(--_hover);
  }

  .option {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 36px;
    padding: 5px 10px;
    border-radius: var(--_radius-small);
    cursor: pointer;
  }

  .option[aria-selected='true'] {
    background: var(--_accent-soft);
  }

  input:focus-visible {
    outline-offset: -1px;
  }

  .list:focus-visible .option[aria-selected='true'] {
    outline: 2px solid var(--_accent);
    outline-offset: -2px;
  }

  .icon {
    flex: none;
    min-width: 1.3em;
    text-align: center;
  }

  .icon:empty {
    display: none;
  }

  .what {
    display: grid;
    justify-items: start;
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .what small {
    display: -webkit-box;
    overflow: hidden;
    -webkit-line-clamp: 2;
    -webkit-box-orient: vertical;
  }

  small {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .mark[data-strong] {
    color: var(--_bad);
    font-weight: 600;
  }

  .none {
    padding: 8px 10px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  @media (pointer: coarse) {
    .option:hover {
      background: var(--_hover);
    }

    .option {
      min-height: 44px;
    }

    /* Below 16 px, iOS zooms the page when the field gets the focus. */
    input {
      font-size: max(16px, var(--_size));
    }
  }

  @media (forced-colors: active) {
    .option[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
`;
