import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    min-width: 0;
    color: var(--_text);
    font: var(--_small) / 1.45 var(--_font);
  }

  .data {
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    --_behind: color-mix(in oklab, var(--_raised), var(--_ok) 5%);
    background: var(--_behind);
    overflow: clip;
  }

  .none,
  .muted {
    color: var(--_muted);
  }

  .frame {
    max-height: 330px;
    /* A shadow at each side that has more content. */
    background:
      linear-gradient(90deg, var(--_behind) 50%, transparent) 0 0 / 32px 100% no-repeat local,
      linear-gradient(270deg, var(--_behind) 50%, transparent) 100% 0 / 32px 100% no-repeat local,
      linear-gradient(90deg, var(--_line-strong), transparent) 0 0 / 12px 100% no-repeat,
      linear-gradient(270deg, var(--_line-strong), transparent) 100% 0 / 12px 100% no-repeat;
    overflow: auto;
    overflow-anchor: none;
  }

  .frame:focus-visible {
    outline-offset: -2px;
  }

  table {
    min-width: 100%;
    border-spacing: 0;
    table-layout: fixed;
  }

  th,
  .row-of-data td {
    box-sizing: border-box;
    height: 30px;
    padding: 0 10px;
    border-block-end: 1px solid var(--_line);
    overflow: hidden;
    text-align: start;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  th {
    position: sticky;
    inset-block-start: 0;
    background: var(--_subtle);
    color: var(--_muted);
    font-weight: 550;
  }

  td:not(.row-of-data td) {
    padding: 0;
  }

  [data-number] {
    font-variant-numeric: tabular-nums;
  }

  .text {
    max-height: 330px;
    padding: 8px 12px;
    overflow: auto;
  }

  ul {
    display: grid;
    gap: 2px;
    margin: 0;
    padding: 0;
    list-style: none;
  }

  ul ul {
    margin-inline-start: 6px;
    padding-inline-start: 12px;
    border-inline-start: 1px solid var(--_line);
  }

  summary {
    display: flex;
    align-items: center;
    gap: 4px;
    min-height: 24px;
    cursor: pointer;
  }

  summary svg {
    width: 12px;
    height: 12px;
    flex: none;
  }

  details[open] > summary svg {
    rotate: 90deg;
  }

  .foot {
    display: flex;
    align-items: center;
    justify-content: end;
    gap: 8px;
    padding-inline: 12px 4px;
    color: var(--_muted);
    font-size: var(--_tiny, 0.8em);
  }

  .foot > span:first-child {
    flex: 1;
  }

  .data:not([data-kind='table']) .foot {
    min-height: 0;
  }
`;
