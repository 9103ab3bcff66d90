import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .clarify {
    display: grid;
    gap: 12px;
    padding: 12px 14px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
    overflow-wrap: anywhere;
  }

  h3 {
    display: flex;
    align-items: center;
    gap: 8px;
    font-weight: 620;
  }

  .sign {
    color: var(--_accent);
  }

  .guess {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px 12px;
    padding: 10px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
  }

  .guess p {
    flex: 1 1 200px;
    min-width: 0;
  }

  .kicker {
    display: block;
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .question {
    display: grid;
    gap: 8px;
  }

  ul {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
  }

  li button {
    height: auto;
    padding-block: 6px;
    text-align: start;
    white-space: normal;
    overflow-wrap: anywhere;
  }

  [aria-pressed='true'] {
    border-color: var(--_accent);
    background: var(--_accent-soft);
    box-shadow: inset 0 0 0 1px var(--_accent);
  }

  .past {
    display: inline-block;
    padding: 3px 10px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    color: var(--_muted);
    font-size: var(--_small);
  }

  .send {
    justify-self: start;
  }

  .send[aria-disabled='true'] {
    color: var(--_muted);
  }

  @media (forced-colors: active) {
    [aria-pressed='true'] {
      outline: 2px solid Highlight;
    }
  }
`;
