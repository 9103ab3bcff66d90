import { css } from 'lit';

/** Styles that all pages of the inspector share: lists, fields, marks, source. */
export const inspectorShared = css`
  :host {
    display: flex;
    flex: 1;
    flex-direction: column;
    gap: 12px;
    min-width: 0;
    color: var(--_text);
    font: var(--_small) / 1.5 var(--_font);
    overflow-wrap: anywhere;
  }

  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }

  h3 {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }

  code,
  pre,
  .mono {
    font-family: var(--_mono);
    font-size: 0.94em;
  }

  pre {
    max-height: 22em;
    padding: 10px 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    font-family: var(--_mono);
    font-size: var(--_tiny);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    overflow: auto;
  }

  code,
  pre.source {
    direction: ltr;
    unicode-bidi: isolate;
  }

  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
  }

  form {
    display: flex;
    flex-direction: column;
    gap: 14px;
  }

  label > .muted {
    font-weight: 400;
  }

  .grow {
    flex: 1;
    min-width: 0;
  }

  .none,
  .muted {
    color: var(--_muted);
  }

  .none {
    padding-block: 20px;
    text-align: center;
  }

  input:not([type='range'], [type='checkbox'], [type='radio']),
  select,
  textarea {
    width: 100%;
    min-height: 32px;
    margin: 0;
    padding: 5px 9px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    color: var(--_text);
    font: var(--_small) / 1.4 var(--_font);
  }

  textarea {
    min-height: 7em;
    font-family: var(--_mono);
    font-size: var(--_tiny);
    resize: vertical;
  }

  ::placeholder {
    color: var(--_muted);
    opacity: 1;
  }

  input[type='range'],
  input[type='checkbox'],
  input[type='radio'] {
    accent-color: var(--_accent);
  }

  fieldset {
    display: flex;
    flex-direction: column;
    gap: 8px;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }

  label {
    display: flex;
    flex-direction: column;
    gap: 4px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 550;
  }

  label.bar {
    flex-direction: row;
    min-height: 24px;
  }

  .badge {
    flex: none;
    max-width: 100%;
    padding: 1px 7px;
    border-radius: 99px;
    background: var(--_hover);
    color: var(--_text);
    font-size: calc(var(--_tiny) * 0.95);
    font-weight: 550;
  }

  .badge[data-tone='ok'] {
    background: var(--_ok-soft);
    color: var(--_ok);
  }

  .badge[data-tone='warn'] {
    background: var(--_warn-soft);
    color: var(--_warn);
  }

  .badge[data-tone='bad'] {
    background: var(--_bad-soft);
    color: var(--_bad);
  }

  .badge[data-tone='accent'] {
    background: var(--_accent-soft);
    color: var(--_accent);
  }

  .list {
    display: flex;
    flex-direction: column;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
  }

  .list > li + li {
    border-block-start: 1px solid var(--_line);
  }

  summary {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 8px;
    margin: 0;
    padding: 8px 10px;
    border-radius: 0;
    min-width: 0;
  }

  summary .sign {
    flex: none;
    color: var(--_muted);
  }

  .inside {
    display: flex;
    flex-direction: column;
    gap: 8px;
    padding-block: 2px 12px;
    padding-inline: 34px 12px;
  }

  table {
    width: 100%;
    border-collapse: collapse;
    font-size: var(--_tiny);
  }

  th,
  td {
    padding: 4px 8px 4px 0;
    border-block-end: 1px solid var(--_line);
    text-align: start;
    vertical-align: top;
    overflow-wrap: anywhere;
  }

  th {
    color: var(--_muted);
    font-weight: 550;
  }

  th[scope='row'],
  td:first-child code {
    white-space: nowrap;
  }

  tr:last-child > * {
    border-block-end: 0;
  }

  /* Layout by the page's own width, regardless of the window and its font size. */
  @container (max-width: 28em) {
    .inside {
      padding-inline: 12px;
    }

    th[scope='row'],
    td:first-child code {
      white-space: normal;
    }

    summary .grow {
      flex-basis: 100%;
    }
  }

  @media (pointer: coarse) {
    input:not([type='range'], [type='checkbox'], [type='radio']),
    select,
    textarea {
      min-height: 44px;
      font-size: 16px;
    }

    label.bar {
      min-height: 44px;
    }
  }

  @media (forced-colors: active) {
    .badge {
      border: 1px solid CanvasText;
    }
  }
`;
