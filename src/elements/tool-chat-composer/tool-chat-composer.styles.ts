import { css } from 'lit';

export const styles = css`
  :host {
    position: relative;
    display: block;
  }

  .box {
    display: flex;
    align-items: flex-end;
    gap: 6px;
    padding: 6px;
    border: 1px solid var(--_edge);
    border-radius: calc(var(--_radius) * 1.33);
    background: var(--_raised);
    box-shadow: 0 1px 2px light-dark(rgb(20 22 40 / 4%), rgb(0 0 0 / 20%));
    transition:
      border-color 0.15s,
      box-shadow 0.15s;
    cursor: text;
  }

  .box:focus-within {
    border-color: color-mix(in oklab, var(--_accent), var(--_edge) 35%);
    box-shadow: 0 0 0 3px var(--_accent-soft);
  }

  /* The field covers a copy of its text that sets the height, so no layout must be measured in a script. */
  .grow {
    display: grid;
    flex: 1;
    min-width: 0;
    max-height: 9.5em;
    overflow: auto;
    scrollbar-width: thin;
  }

  .grow::after,
  textarea {
    grid-area: 1 / 1;
    min-width: 0;
    margin: 0;
    padding: 7px 8px;
    border: 0;
    background: none;
    color: var(--_text);
    font: var(--_size) / 1.35 var(--_font);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .grow::after {
    content: attr(data-draft);
    visibility: hidden;
  }

  textarea {
    resize: none;
    overflow: hidden;
    unicode-bidi: plaintext;
    outline: none;
  }

  .grow[data-long] {
    grid-template-rows: 9.5em;
    overflow: hidden;
  }

  .grow[data-long] textarea {
    overflow: auto;
    scrollbar-width: thin;
  }

  textarea::placeholder {
    color: var(--_muted);
    opacity: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .send,
  .stop {
    height: 34px;
    border-radius: calc(var(--_radius) * 0.83);
  }

  .send {
    width: 34px;
    padding: 0;
  }

  .send:disabled {
    background: var(--_subtle);
    color: var(--_muted);
  }

  .send[data-waiting] {
    display: none;
  }

  .stop {
    padding-inline: 10px 12px;
    white-space: nowrap;
  }

  .stop svg {
    color: var(--_muted);
  }

  .opener {
    flex: none;
    align-self: flex-end;
    height: 34px;
    border-radius: calc(var(--_radius) * 0.83);
  }

  .problem {
    margin-block-start: 6px;
    padding-inline: 4px;
    color: var(--_warn);
    font: var(--_small) / 1.4 var(--_font);
  }

  .commands {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
    margin-block-end: 10px;
  }

  .commands button {
    min-height: 30px;
    padding: 4px 12px;
    border-color: var(--_line);
    border-radius: calc(var(--_radius) * 8);
    font-weight: 450;
    text-align: start;
  }

  /* With little height, as on a phone in landscape or a zoomed page, the quick commands are one scrolling row. */
  @media (max-height: 420px) {
    .commands {
      flex-wrap: nowrap;
      margin-block-end: 6px;
      overflow-x: auto;
      scrollbar-width: thin;
    }

    .commands button {
      flex: none;
      max-width: 80%;
    }

    .grow {
      max-height: 5.5em;
    }

    .grow[data-long] {
      grid-template-rows: 5.5em;
    }
  }

  .commands button:disabled {
    color: var(--_muted);
  }

  ::slotted(*) {
    align-self: center;
  }

  @media (pointer: coarse) {
    .grow::after,
    textarea {
      min-height: 44px;
      padding-block: 11px;
      /* Below 16 px, iOS zooms the page when the field gets the focus. */
      font-size: max(16px, var(--_size));
    }
  }

  @media (forced-colors: active) {
    .box:focus-within {
      outline: 2px solid Highlight;
    }
  }
`;
