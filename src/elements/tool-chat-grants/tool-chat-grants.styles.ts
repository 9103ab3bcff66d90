import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .grants {
    display: grid;
    gap: 8px;
    overflow-wrap: anywhere;
  }

  ul {
    display: grid;
    gap: 6px;
  }

  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 6px 12px;
    padding: 8px 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius-small);
    background: var(--_raised);
  }

  .what {
    flex: 1 1 200px;
    min-width: 0;
    font-size: var(--_small);
  }

  .what code {
    display: block;
    width: fit-content;
    color: var(--_muted);
    font: var(--_tiny) / 1.4 var(--_mono);
  }

  .none {
    color: var(--_muted);
    font-size: var(--_small);
  }
`;
