import { css } from 'lit';

export const styles = css`
  h3 {
    padding-block: 18px 4px;
  }

  .up {
    margin-inline-start: -8px;
  }

  .up svg {
    rotate: 180deg;
  }

  :dir(rtl) .up svg {
    rotate: none;
  }

  .page {
    flex: 1;
    min-height: 0;
    padding-block: 8px 16px;
    padding-inline: calc(var(--_gutter) - 10px);
    overflow: auto;
    scrollbar-width: thin;
  }

  ul,
  ol {
    margin: 0;
    padding: 0;
    list-style: none;
  }

  .item {
    display: flex;
    justify-content: flex-start;
    gap: 12px;
    inline-size: 100%;
    min-height: 44px;
    padding: 6px 10px;
    border-color: transparent;
    background: none;
    font-weight: 450;
    text-align: start;
  }

  .item svg {
    flex: none;
    color: var(--_muted);
  }

  .item:hover:not(:disabled) {
    background: var(--_subtle);
  }

  ol li {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    justify-content: flex-end;
    gap: 2px 4px;
    padding: 10px;
    border-block-end: 1px solid var(--_line);
  }

  .act {
    display: grid;
    flex: 1 1 12em;
    gap: 2px;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .object {
    font-weight: 620;
  }

  .meta,
  .none,
  .tokens {
    color: var(--_muted);
    font-size: var(--_small);
  }

  [data-status='error'] .meta {
    color: var(--_bad);
  }

  [data-status='undone'] .sentence,
  [data-status='denied'] .sentence {
    color: var(--_muted);
  }

  .none {
    padding: 10px;
  }

  .row {
    display: flex;
    gap: 8px;
    padding: 6px 10px;
  }

  .delete {
    border-color: transparent;
    background: var(--_bad);
    color: var(--_on-bad);
  }

  .settings {
    padding-inline: 10px;
  }

  .setting {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    min-height: 44px;
    overflow-wrap: anywhere;
  }

  .setting input[type='number'],
  .setting select {
    max-inline-size: 11em;
    min-height: 34px;
    padding: 4px 8px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    color: var(--_text);
    font: var(--_small) / 1.4 var(--_font);
  }

  .setting input[type='number'] {
    inline-size: 6em;
  }

  .setting input[aria-invalid='true'] {
    border-color: var(--_bad);
  }

  .refused {
    color: var(--_bad);
    font-size: var(--_small);
  }

  [role='switch'] {
    position: relative;
    flex: none;
    inline-size: 38px;
    block-size: 24px;
    margin: 0;
    border: 1px solid var(--_edge);
    border-radius: 99px;
    background: var(--_subtle);
    appearance: none;
    cursor: pointer;
  }

  [role='switch']::before {
    content: '';
    position: absolute;
    inset-block: 3px;
    inset-inline-start: 3px;
    inline-size: 16px;
    border-radius: 99px;
    background: var(--_edge);
  }

  [role='switch']:checked {
    border-color: var(--_accent);
    background: var(--_accent);
  }

  [role='switch']:checked::before {
    inset-inline: auto 3px;
    background: var(--_on-accent);
  }

  [role='switch']:disabled {
    opacity: 0.55;
    cursor: default;
  }

  [role='switch']:focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  pre {
    max-block-size: 22em;
    margin: 4px 0 0;
    padding: 10px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    font: var(--_tiny) / 1.5 var(--_mono);
    white-space: pre-wrap;
    overflow: auto;
    overflow-wrap: anywhere;
  }

  @media (forced-colors: active) {
    [role='switch']::before {
      background: CanvasText;
    }

    [role='switch']:checked {
      background: Highlight;
    }
  }

  .keys {
    display: grid;
    margin: 0;
    padding-inline: 10px;
    font-size: var(--_small);
  }

  .keys div {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 16px;
    min-height: 44px;
    padding-block: 6px;
  }

  .keys div + div {
    border-block-start: 1px solid var(--_line);
  }

  .keys dd {
    display: flex;
    flex: none;
    gap: 4px;
    margin: 0;
  }

  .keys kbd {
    min-width: 26px;
    padding: 2px 7px;
    border: 1px solid var(--_line-strong);
    border-block-end-width: 2px;
    border-radius: 6px;
    background: var(--_subtle);
    font: 550 var(--_tiny) / 1.5 var(--_font);
    text-align: center;
  }
`;
