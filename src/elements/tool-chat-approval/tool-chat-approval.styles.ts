import { css } from 'lit';

/** Buttons that wait fill up while the delay runs: the eye sees when they are ready. */
export const decisionStyles = css`
  .buttons {
    display: flex;
    gap: 8px;
  }

  .buttons button {
    position: relative;
    min-width: 84px;
    transition: none;
    overflow: hidden;
    isolation: isolate;
  }

  .buttons button[aria-disabled='true'] {
    border-color: var(--_line);
    background: var(--_subtle);
    color: var(--_muted);
  }

  .buttons[data-arming] button::before {
    content: '';
    position: absolute;
    inset: 0;
    z-index: -1;
    background: var(--_hover);
    transform-origin: 0 50%;
    animation: fill 0.5s linear both;
  }

  .buttons[data-arming] button:dir(rtl)::before {
    transform-origin: 100% 50%;
  }

  @keyframes fill {
    from {
      transform: scaleX(0);
    }
  }

  @container (max-width: 420px) {
    .buttons {
      width: 100%;
    }

    .buttons button {
      flex: 1;
    }
  }
`;

export const styles = css`
  ${decisionStyles}

  :host {
    display: block;
  }

  .approval {
    --_tone: var(--_warn);
    --_tone-soft: var(--_warn-soft);
    display: grid;
    isolation: isolate;
    gap: 10px;
    padding-block-end: 14px;
    padding-inline: var(--_inset, 48px) 14px;
    font: var(--_size) / 1.5 var(--_font);
    overflow-wrap: anywhere;
  }

  [data-risk='danger'] {
    --_tone: var(--_bad);
    --_tone-soft: var(--_bad-soft);
  }

  [data-risk='query'] {
    --_tone: var(--_accent);
    --_tone-soft: var(--_accent-soft);
  }

  #heading {
    border-radius: 6px;
  }

  #heading:focus {
    outline: 2px solid var(--_accent);
    outline-offset: 4px;
  }

  .what {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-end;
    justify-content: space-between;
    gap: 6px 12px;
  }

  .lead {
    display: block;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .action {
    display: block;
    font-size: calc(var(--_size) * 1.07);
    font-weight: 620;
  }

  .risk {
    display: inline-flex;
    justify-self: start;
    align-items: center;
    gap: 5px;
    padding-block: 2px;
    padding-inline: 7px 9px;
    border-radius: 99px;
    background: var(--_tone-soft);
    color: var(--_tone);
    font-size: var(--_tiny);
    font-weight: 550;
  }

  .risk svg {
    width: 14px;
    height: 14px;
  }

  .edit {
    margin-inline-start: -8px;
  }

  .edit svg {
    width: 14px;
    height: 14px;
  }

  .arguments,
  .preview {
    display: grid;
    gap: 4px;
    padding: 10px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
  }

  .heading {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .none {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .change {
    display: grid;
    gap: 1px;
    font-size: var(--_small);
  }

  .change + .change {
    margin-block-start: 6px;
  }

  .before,
  .after {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
  }

  .before::before,
  .after::before {
    width: 14px;
    font-family: var(--_mono);
  }

  .before::before {
    content: '−' / '';
    color: var(--_bad);
  }

  .after::before {
    content: '+' / '';
    color: var(--_ok);
  }

  .before .value {
    color: var(--_muted);
    text-decoration: line-through;
    text-decoration-color: color-mix(in oklab, var(--_bad), transparent 50%);
  }

  .reason {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .reason:empty {
    display: none;
  }

  .decision {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 8px 16px;
    margin-block-start: 2px;
  }

  .remember {
    flex: 1 0 100%;
  }

  .ask {
    flex: 1 0 auto;
    max-width: 100%;
    font-weight: 550;
  }

  .hint {
    display: block;
    color: var(--_warn);
    font-size: var(--_tiny);
    font-weight: 400;
  }

  .hint:empty {
    display: none;
  }

  [data-risk='danger'] .allow[aria-disabled='false'] {
    background: var(--_bad);
    color: var(--_on-bad);
  }

  [data-risk='danger'] .allow[aria-disabled='false']:hover {
    background: color-mix(in oklab, var(--_bad), var(--_text) 14%);
  }

  @container (max-width: 420px) {
    .approval {
      padding-inline-start: 14px;
    }
  }
`;
