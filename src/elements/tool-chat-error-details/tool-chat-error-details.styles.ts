import { css } from 'lit';

export const styles = css`
  :host {
    display: flex;
    flex-wrap: wrap;
    align-items: start;
    gap: 4px 12px;
    font-size: var(--_small);
  }

  summary {
    display: flex;
    align-items: center;
    gap: 4px;
    min-height: 28px;
    color: var(--_muted);
    cursor: pointer;
  }

  summary svg {
    transition: rotate 0.15s;
  }

  details[open] summary svg {
    rotate: 90deg;
  }

  dl {
    display: grid;
    gap: 2px;
    margin: 0;
  }

  dl div {
    display: flex;
    gap: 6px;
  }

  dt {
    color: var(--_muted);
  }

  dd {
    margin: 0;
    font-family: var(--_mono);
    overflow-wrap: anywhere;
  }

  .more {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 10px;
    margin-block-start: 4px;
  }

  .more button {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    min-height: 28px;
    padding-inline: 8px;
  }

  a {
    color: var(--_accent);
  }

  .spinner {
    width: 12px;
    height: 12px;
  }

  .found {
    flex-basis: 100%;
    overflow-wrap: anywhere;
  }

  .found strong {
    font-weight: 580;
  }

  .found small {
    display: block;
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  @media (pointer: coarse) {
    .more button,
    summary {
      min-height: 44px;
    }
  }
`;
