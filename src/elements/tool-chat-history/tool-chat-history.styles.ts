import { css } from 'lit';

export const styles = css`
  section {
    gap: 8px;
    padding-block-end: 12px;
  }

  h3 {
    padding: 10px 10px 4px;
  }

  .days {
    flex: 1;
    min-height: 0;
    padding-inline: calc(var(--_gutter) - 10px);
    overflow: auto;
  }

  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px;
    border-radius: var(--_radius-small);
  }

  li:hover,
  li:focus-within,
  li[data-open] {
    background: var(--_subtle);
  }

  .open {
    display: flex;
    flex: 1;
    justify-content: space-between;
    gap: 12px;
    min-width: 0;
    min-height: 44px;
    padding: 6px 10px;
    border-color: transparent;
    background: none;
    font-weight: 500;
    text-align: start;
  }

  .title {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  time {
    flex: none;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 450;
  }

  .ask {
    flex: 1 1 180px;
    min-width: 0;
    padding: 8px 10px;
    overflow-wrap: anywhere;
  }

  .actions {
    display: flex;
    gap: 6px;
    padding: 5px 6px;
  }

  .delete {
    border-color: transparent;
    background: var(--_bad);
    color: var(--_on-bad);
  }

  .delete:hover {
    background: color-mix(in oklab, var(--_bad), var(--_text) 14%);
  }

  input {
    margin-inline: var(--_gutter);
    min-height: 40px;
    padding: 6px 12px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: transparent;
    color: inherit;
    /* Small text makes phones zoom in. */
    font: max(16px, var(--_small)) / 1.4 var(--_font);
  }

  .name {
    flex: 1 1 160px;
    min-width: 0;
    margin-inline: 4px 0;
  }

  .none {
    padding: 16px var(--_gutter);
    color: var(--_muted);
    font-size: var(--_small);
  }

  .new {
    margin-inline: var(--_gutter);
    min-height: 44px;
  }
`;
