import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .list {
    display: grid;
    gap: 10px;
    overflow-wrap: anywhere;
  }

  h3 {
    padding-inline: 10px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }

  h3:focus-visible {
    border-radius: 4px;
  }

  ul {
    display: grid;
    gap: 6px;
  }

  li,
  .gone,
  .all {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 6px 12px;
    padding: 6px 10px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    font-size: var(--_small);
  }

  .list:focus {
    outline: none;
  }

  .gone,
  .all {
    border-style: dashed;
    background: none;
    color: var(--_muted);
  }

  .what {
    flex: 1 1 180px;
    min-width: 0;
    white-space: pre-line;
  }

  .actions {
    display: flex;
    gap: 6px;
  }

  .fixed {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  textarea {
    flex: 1 1 100%;
    min-height: 60px;
    padding: 6px 8px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: transparent;
    color: inherit;
    /* Small text makes phones zoom in. */
    font: max(16px, var(--_small)) / 1.4 var(--_font);
    field-sizing: content;
    resize: vertical;
  }

  .none {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .failed {
    color: var(--_bad);
  }
`;
