import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .plan {
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
    overflow: hidden;
    overflow-wrap: anywhere;
  }

  header {
    display: flex;
    align-items: flex-start;
    justify-content: space-between;
    gap: 12px;
    padding: 10px 14px;
    border-block-end: 1px solid var(--_line);
  }

  .title {
    min-width: 0;
  }

  .kicker,
  .count,
  .status,
  small {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  h3 {
    font-weight: 620;
    line-height: 1.35;
  }

  .count {
    flex: none;
    padding-block-start: 2px;
    font-variant-numeric: tabular-nums;
  }

  ol {
    display: grid;
    margin: 0;
    padding: 6px 0;
    list-style: none;
  }

  li {
    display: flex;
    align-items: flex-start;
    gap: 10px;
    padding: 6px 14px;
  }

  .mark {
    display: grid;
    place-items: center;
    flex: none;
    width: 20px;
    height: 20px;
    margin-block-start: 1px;
    border: 1px solid var(--_line-strong);
    border-radius: 50%;
    color: var(--_muted);
    font: 600 var(--_tiny) / 1 var(--_font);
  }

  .mark svg {
    width: 13px;
    height: 13px;
  }

  .spinner {
    width: 12px;
    height: 12px;
  }

  .what {
    flex: 1;
    min-width: 0;
  }

  .what small {
    display: block;
  }

  code {
    font: var(--_tiny) / 1.4 var(--_mono);
  }

  .status {
    flex: none;
    padding-block-start: 2px;
  }

  [data-status='doing'] .mark {
    border-color: transparent;
    color: var(--_accent);
  }

  [data-status='doing'] .step {
    font-weight: 600;
  }

  [data-status='done'] .mark {
    border-color: transparent;
    background: var(--_ok-soft);
    color: var(--_ok);
  }

  [data-status='failed'] .mark {
    border-color: transparent;
    background: var(--_bad-soft);
    color: var(--_bad);
  }

  [data-status='failed'] .status {
    color: var(--_bad);
  }

  [data-status='skipped'] .step {
    color: var(--_muted);
    text-decoration: line-through;
  }

  @media (forced-colors: active) {
    .mark,
    [data-status] .mark {
      border-color: CanvasText;
    }
  }
`;
