import { css } from 'lit';

export const chartStyles = css`
  .states {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 6px;
  }

  .states[data-parallel] > .state {
    border-style: dashed;
  }

  .state {
    display: flex;
    flex: 0 1 auto;
    flex-direction: column;
    gap: 6px;
    min-width: 0;
    padding: 5px 8px;
    border: 1px solid var(--_line-strong);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    color: var(--_muted);
    font-size: var(--_tiny);
    transition:
      background 0.15s,
      border-color 0.15s;
  }

  .state:has(> .states) {
    flex: 1 1 100%;
  }

  .states[data-parallel] > .state:has(> .states) {
    flex: 1 1 180px;
  }

  .state[data-lit] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    color: var(--_text);
  }

  .state[data-lit] > .name {
    font-weight: 650;
  }

  .state[data-lit]:not(:has([data-lit])) {
    box-shadow: inset 0 0 0 1px var(--_accent);
  }

  .name {
    overflow-wrap: anywhere;
  }

  @media (forced-colors: active) {
    .state[data-lit] {
      border: 2px solid Highlight;
    }
  }
`;
