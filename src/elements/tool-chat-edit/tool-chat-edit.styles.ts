import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
  }

  .form {
    display: grid;
    gap: 12px;
    padding: 12px 14px 6px;
    font: var(--_size) / 1.5 var(--_font);
    overflow-wrap: anywhere;
  }

  #heading {
    border-radius: calc(var(--_radius) * 0.5);
    font-weight: 620;
  }

  #heading:focus {
    outline: 2px solid var(--_accent);
    outline-offset: 4px;
  }

  summary {
    width: fit-content;
    padding-block: 4px;
    color: var(--_muted);
    font-size: var(--_small);
    cursor: pointer;
  }

  details[open] > summary {
    margin-block-end: 8px;
  }

  .field {
    display: grid;
    gap: 4px;
    min-width: 0;
  }

  .field[data-box] {
    grid-template-columns: auto 1fr;
    align-items: center;
    gap: 2px 9px;
  }

  .field[data-box] > p {
    grid-column: 2;
  }

  .field[data-box] > label {
    align-content: center;
    min-height: 24px;
  }

  label {
    font-size: var(--_small);
    font-weight: 550;
  }

  .name,
  .required,
  .about {
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 400;
  }

  .name {
    font-family: var(--_mono);
  }

  input:not([type='checkbox']),
  select,
  textarea {
    box-sizing: border-box;
    width: 100%;
    min-width: 0;
    min-height: 36px;
    margin: 0;
    padding: 6px 10px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: var(--_bg);
    color: var(--_text);
    /* Small text makes a phone zoom into the field. */
    font: max(var(--_size), 15px) / 1.4 var(--_font);
  }

  textarea {
    resize: vertical;
  }

  .json {
    font-family: var(--_mono);
    font-size: var(--_small);
    tab-size: 2;
  }

  input[type='checkbox'] {
    width: 18px;
    height: 18px;
    margin: 0;
    accent-color: var(--_accent);
  }

  [data-wrong] input:not([type='checkbox']),
  [data-wrong] select,
  [data-wrong] textarea {
    border-color: var(--_bad);
  }

  .problem {
    color: var(--_bad);
    font-size: var(--_small);
  }

  .problem:empty {
    display: none;
  }

  /* The buttons stay reachable while the fields scroll. */
  .buttons {
    position: sticky;
    inset-block-end: 0;
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 8px;
    padding-block: 8px;
    background: var(--_raised);
  }

  [part='argument-field'] {
    scroll-margin-block: 30px 64px;
  }

  .buttons button {
    min-width: 96px;
  }

  .buttons .spinner {
    width: 12px;
    height: 12px;
  }

  @media (pointer: coarse) {
    input:not([type='checkbox']),
    select,
    textarea {
      min-height: 44px;
      font-size: max(var(--_size), 16px);
    }

    .field[data-box] > label {
      min-height: 44px;
    }

    input[type='checkbox'] {
      width: 24px;
      height: 24px;
    }
  }

  @container (max-width: 420px) {
    .buttons button {
      flex: 1;
    }
  }
`;
