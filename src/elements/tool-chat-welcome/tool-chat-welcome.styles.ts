import { css } from 'lit';

export const styles = css`
  :host {
    display: grid;
    gap: 16px;
    inline-size: min(100%, 460px);
    color: var(--_text);
    font: var(--_size) / 1.4 var(--_font);
  }

  ul {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr));
    gap: 8px;
    margin: 0;
    padding: 0;
    list-style: none;
  }

  button {
    display: flex;
    align-items: flex-start;
    justify-content: flex-start;
    gap: 10px;
    inline-size: 100%;
    block-size: 100%;
    min-height: 44px;
    padding: 10px 12px;
    border-color: var(--_line-strong);
    background: var(--_raised);
    font-weight: 450;
    text-align: start;
    white-space: normal;
    overflow-wrap: anywhere;
  }

  button:hover {
    background: var(--_subtle);
  }

  .sign {
    flex: none;
    display: grid;
    place-items: center;
    inline-size: 18px;
    block-size: 1.4em;
    color: var(--_accent);
  }

  b {
    display: block;
    font-weight: 560;
    font-size: var(--_small);
  }

  .say {
    color: var(--_muted);
    font-size: var(--_small);
  }

  p {
    margin: 0;
    color: var(--_muted);
    font-size: var(--_small);
    text-align: center;
    text-wrap: balance;
  }
`;
