import { css } from 'lit';

export const traceStyles = css`
  .kind {
    min-height: 28px;
    padding: 0 10px;
    border-radius: 99px;
    color: var(--_muted);
  }

  .kind[aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_text);
  }

  .rows {
    flex: 1;
    min-height: 10em;
    overflow: auto;
  }

  .rows > li {
    display: grid;
    grid-template-columns: auto minmax(7em, 15em) minmax(0, 1fr);
    gap: 2px 10px;
    padding: 3px 10px;
    font-size: var(--_tiny);
  }

  .rows time {
    color: var(--_muted);
    font-family: var(--_mono);
    font-variant-numeric: tabular-nums;
  }

  .rows .name {
    overflow-wrap: anywhere;
  }

  .rows [data-kind='decision'] .name {
    color: var(--_accent);
  }

  .rows .text {
    max-height: 4.6em;
    overflow: hidden;
    overflow-wrap: anywhere;
  }

  @media (max-width: 480px) {
    .rows > li {
      grid-template-columns: auto minmax(0, 1fr);
    }

    .rows .text {
      grid-column: 1 / -1;
    }
  }
`;
