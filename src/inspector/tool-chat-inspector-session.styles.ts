import { css } from 'lit';

export const sessionStyles = css`
  .dot {
    width: 9px;
    height: 9px;
    border-radius: 50%;
    background: var(--_bad);
  }

  .record[aria-pressed='true'] {
    border-color: var(--_bad);
    background: var(--_bad-soft);
  }

  .problem {
    color: var(--_bad);
  }

  input[type='range'] {
    flex: 1 1 140px;
  }

  .step {
    min-width: 4.5em;
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  .stage {
    display: grid;
    flex: 1;
    min-height: 320px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
  }
`;
