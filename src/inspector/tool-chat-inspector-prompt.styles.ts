import { css } from 'lit';

export const promptStyles = css`
  fieldset {
    gap: 0;
    padding: 4px 0;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
  }

  legend {
    margin-inline-start: 8px;
    padding-inline: 4px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-weight: 620;
  }

  label {
    display: grid;
    grid-template-columns: auto minmax(8em, 1fr) minmax(40px, 2fr) minmax(7.5em, auto);
    flex-direction: row;
    align-items: center;
    gap: 10px;
    min-height: 32px;
    padding-inline: 10px;
    color: var(--_text);
    font-weight: 400;
    cursor: pointer;
  }

  label:hover {
    background: var(--_hover);
  }

  meter {
    width: 100%;
    height: 6px;
    border: 0;
    border-radius: 6px;
    background: var(--_hover);
    overflow: hidden;
    appearance: none;
  }

  meter::-webkit-meter-bar {
    height: 6px;
    border: 0;
    background: none;
  }

  meter::-webkit-meter-optimum-value {
    border-radius: 6px;
    background: var(--_accent);
  }

  meter::-moz-meter-bar {
    border-radius: 6px;
    background: var(--_accent);
  }

  .tokens {
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  summary {
    padding-block: 6px;
    cursor: pointer;
  }

  mark {
    border-radius: 3px;
    background: var(--_hover);
    color: var(--_accent);
    font-weight: 620;
  }

  @container (max-width: 28em) {
    label {
      grid-template-columns: auto minmax(0, 1fr) minmax(0, 1fr);
    }

    meter {
      display: none;
    }
  }

  pre {
    flex: 1;
    max-height: none;
    min-height: 12em;
  }
`;
