import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
  }

  .card {
    --_tone: var(--_muted);
    --_tone-soft: var(--_subtle);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_raised);
    overflow-wrap: anywhere;
    transition: border-color 0.2s;
  }

  .card[data-status='success'] {
    --_tone: var(--_ok);
    --_tone-soft: var(--_ok-soft);
  }

  .card[data-status][data-empty] {
    --_tone: var(--_muted);
    --_tone-soft: var(--_subtle);
  }

  .card[data-status='error'] {
    --_tone: var(--_bad);
    --_tone-soft: var(--_bad-soft);
  }

  .card[data-status='interrupted'],
  .card[data-status='awaiting_approval'] {
    --_tone: var(--_warn);
    --_tone-soft: var(--_warn-soft);
  }

  .card[data-status='executing'] {
    --_tone: var(--_accent);
    --_tone-soft: var(--_accent-soft);
  }

  .card[data-status='awaiting_approval'] {
    border-color: color-mix(in oklab, var(--_tone) 38%, var(--_line));
    box-shadow:
      0 0 0 3px color-mix(in oklab, var(--_tone-soft) 70%, transparent),
      0 6px 20px -8px light-dark(rgb(20 22 40 / 16%), rgb(0 0 0 / 60%));
  }

  .card[data-status='awaiting_approval'][data-risk='danger'] {
    --_tone: var(--_bad);
    --_tone-soft: var(--_bad-soft);
  }

  header {
    display: flex;
    align-items: center;
    gap: 10px;
    padding: 10px 14px;
  }

  .badge {
    display: grid;
    place-items: center;
    flex: none;
    width: 24px;
    height: 24px;
    border-radius: 50%;
    background: var(--_tone-soft);
    color: var(--_tone);
  }

  .card[data-status='success'] .badge svg {
    animation: pop 0.26s var(--_ease);
  }

  @keyframes pop {
    from {
      opacity: 0;
      scale: 0.5;
    }
  }

  .spinner {
    width: 14px;
    height: 14px;
    border-width: 2px;
  }

  .title {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 8px;
    min-width: 0;
  }

  .label {
    font-weight: 600;
  }

  .state {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .card[data-status='awaiting_approval'] header {
    padding-block-end: 4px;
  }

  .card[data-status='awaiting_approval'] .state {
    color: var(--_tone);
    font-weight: 550;
  }

  .card[data-status='error'] .state {
    color: var(--_bad);
  }

  .card[data-status='success'] .state {
    color: var(--_ok);
  }

  .card[data-status][data-empty] .state,
  .result .advice {
    color: var(--_muted);
  }

  .time {
    align-self: flex-start;
    padding-block-start: 3px;
    color: var(--_muted);
    font-size: var(--_tiny);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }

  .arguments,
  .progress,
  .result {
    padding-inline: 48px 14px;
    padding-block-end: 10px;
  }

  .arguments {
    margin-block-start: -4px;
  }

  .heading {
    color: var(--_muted);
  }

  .single {
    display: block;
  }

  .single .row {
    display: inline;
  }

  .progress {
    display: grid;
    gap: 6px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .result p {
    font-size: calc(var(--_size) * 0.95);
  }

  .error-label {
    color: var(--_bad);
    font-weight: 550;
  }

  details {
    margin-block-start: 4px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .source {
    margin-block: 4px 2px;
    padding: 8px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    font: calc(var(--_size) * 0.83) / 1.5 var(--_mono);
  }

  .undo {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 8px;
    padding-inline: 48px 14px;
    padding-block-end: 12px;
  }

  .undo .quiet {
    margin-inline-start: -8px;
  }

  .source .value {
    display: block;
  }

  @media (pointer: coarse) {
    summary {
      min-height: 44px;
    }
  }

  @media (forced-colors: active) {
    .card[data-status='awaiting_approval'] {
      border-width: 2px;
    }

    .spinner {
      border-block-start-color: Highlight;
    }
  }

  @container (max-width: 420px) {
    .arguments,
    .progress,
    .result,
    .undo {
      padding-inline-start: 14px;
    }
  }
`;
