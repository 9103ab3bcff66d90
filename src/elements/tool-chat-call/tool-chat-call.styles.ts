import { css } from 'lit';

/** Styles of calls. A call that needs no decision, or is over, is a line of the conversation; a call that waits for the user is a card. */
export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.45 var(--_font);
  }

  .card {
    --_tone: var(--_muted);
    position: relative;
    border: 1px solid transparent;
    border-radius: var(--_radius);
    overflow-wrap: anywhere;
  }

  .card[data-status='success'] {
    --_tone: var(--_ok);
  }

  .card[data-status][data-empty],
  .card[data-status='success'][data-risk='query'] {
    --_tone: var(--_muted);
  }

  .card[data-status='error'] {
    --_tone: var(--_bad);
  }

  .card[data-status='interrupted'],
  .card[data-waits] {
    --_tone: var(--_warn);
    --_tone-soft: var(--_warn-soft);
  }

  .card[data-status='executing'] {
    --_tone: var(--_accent);
    overflow: clip;
  }

  /* A light moves across a running call. */
  .card[data-status='executing']::after {
    content: '';
    position: absolute;
    inset: 0;
    background: linear-gradient(100deg, transparent 30%, color-mix(in oklab, var(--_accent) 13%, transparent) 50%, transparent 70%);
    translate: -100%;
    animation: sweep 1.8s ease-in-out infinite;
    pointer-events: none;
  }

  @keyframes sweep {
    to {
      translate: 100%;
    }
  }

  .card[data-waits] {
    border-color: color-mix(in oklab, var(--_tone) 34%, var(--_line));
    background: var(--_raised);
    box-shadow:
      0 0 0 3px color-mix(in oklab, var(--_tone-soft) 70%, transparent),
      0 6px 20px -8px light-dark(rgb(20 22 40 / 16%), rgb(0 0 0 / 60%));
  }

  .card[data-waits][data-risk='danger'] {
    --_tone: var(--_bad);
    --_tone-soft: var(--_bad-soft);
  }

  .card:focus-visible {
    outline-offset: 1px;
  }

  header:not(.visually-hidden) {
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 0 8px;
    padding-inline-end: 32px;
  }

  .badge {
    display: grid;
    place-items: center;
    flex: none;
    width: 18px;
    height: 1.45em;
    color: var(--_tone);
  }

  .badge svg {
    stroke-width: 1.9;
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
    width: 13px;
    height: 13px;
    border-width: 2px;
  }

  .title {
    flex: 1 1 12em;
    min-width: 0;
    color: var(--_muted);
    font-size: var(--_small);
    line-height: calc(var(--_size) * 1.45);
  }

  .label {
    color: var(--_text);
  }

  .object {
    font-weight: 620;
  }

  .meta > * {
    unicode-bidi: isolate;
  }

  .meta > *::before {
    content: '\\a0· ' / ' ';
  }

  .card[data-status='error'] .outcome,
  .card[data-status='interrupted'] .outcome {
    color: var(--_tone);
  }

  time {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }

  .progress,
  .result,
  .again {
    padding-inline-start: 26px;
  }

  .progress {
    display: grid;
    gap: 6px;
    max-width: 320px;
    padding-block: 4px;
  }

  .progress,
  .result {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .result > p {
    max-width: 60em;
  }

  .card[data-status='error'] .result > p:first-child .value {
    color: var(--_bad);
  }

  .error-label {
    color: var(--_bad);
    font-weight: 550;
  }

  summary svg {
    width: 13px;
    height: 13px;
    rotate: 90deg;
  }

  summary:dir(rtl) svg {
    rotate: 90deg;
  }

  details[open] > summary svg {
    rotate: -90deg;
  }

  .result > details > summary {
    position: absolute;
    inset-block-start: -1px;
    inset-inline-end: 0;
    justify-content: center;
    width: 28px;
    height: 24px;
    margin: 0;
    padding: 0;
  }

  .folded {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 6px;
    padding-block: 4px 8px;
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

  .source {
    padding: 8px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
    font: calc(var(--_size) * 0.83) / 1.5 var(--_mono);
  }

  .source .value {
    display: block;
  }

  .undo {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px;
    font-size: var(--_small);
  }

  header .undo {
    margin-block: -3px;
    margin-inline: -4px;
  }

  .again {
    margin-inline-start: -8px;
  }

  .undo .quiet {
    color: var(--_accent);
    font-weight: 550;
  }

  .undo:not(header .undo) {
    padding-block: 4px;
  }

  .headline {
    padding: 12px 14px 0;
  }

  .card[data-waits] > .undo {
    padding: 0 6px 8px;
  }

  .undo .error-label:empty {
    display: none;
  }

  .later {
    display: none;
  }

  /* With little room, an approval covers the messages. */
  @container (max-height: 290px) {
    .card[data-sheet] {
      position: absolute;
      inset: auto 0 0;
      z-index: 1;
      display: flex;
      flex-direction: column;
      max-block-size: 100%;
      border-width: 1px 0 0;
      border-end-start-radius: 0;
      border-end-end-radius: 0;
    }

    .card[data-sheet] .later {
      position: absolute;
      inset-block-start: 6px;
      inset-inline-end: 6px;
      display: inline-flex;
    }
  }

  @media (pointer: coarse) {
    header:not(.visually-hidden) {
      min-height: 44px;
      padding-inline-end: 48px;
    }
  }

  @media (forced-colors: active) {
    .card[data-waits] {
      border-width: 2px;
    }

    .spinner {
      border-block-start-color: Highlight;
    }
  }
`;
