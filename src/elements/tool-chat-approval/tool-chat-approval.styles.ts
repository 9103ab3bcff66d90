import { css } from 'lit';
import { decisionStyles } from './decision.styles.js';

export const styles = css`
  ${decisionStyles}

  :host {
    display: block;
    position: relative;
  }

  .approval {
    --_tone: var(--_warn);
    --_tone-soft: var(--_warn-soft);
    display: grid;
    isolation: isolate;
    gap: 12px;
    padding: 14px 14px 8px;
    font: var(--_size) / 1.45 var(--_font);
    overflow-wrap: anywhere;
  }

  [data-risk='danger'] {
    --_tone: var(--_bad);
    --_tone-soft: var(--_bad-soft);
  }

  [data-risk='query'],
  [data-risk='write'] {
    --_tone: var(--_muted);
    --_tone-soft: var(--_subtle);
  }

  /* A long approval scrolls inside itself, so that its top and its buttons stay visible. Visually hidden text scrolls along, because
     this element positions it. */
  .facts {
    position: relative;
    display: grid;
    gap: 10px;
    max-block-size: max(110px, calc(100cqb - 172px));
    margin: -4px;
    padding: 4px;
    overflow: hidden auto;
    scrollbar-width: thin;
    scrollbar-color: var(--_line-strong) transparent;
  }

  [data-listed] {
    gap: 8px;
    padding-block: 8px 4px;
  }

  [data-listed] .what {
    gap: 6px;
  }

  .checkbox {
    flex: none;
    margin-inline-start: -6px;
  }

  .checkbox svg {
    width: 18px;
    height: 18px;
    padding: 1px;
    border: 1.5px solid var(--_edge);
    border-radius: calc(var(--_radius) * 0.42);
    color: transparent;
  }

  .checkbox[aria-checked='true'] svg {
    border-color: var(--_accent);
    background: var(--_accent);
    color: var(--_on-accent);
    stroke-width: 2;
  }

  .unfold {
    flex: none;
    margin-inline-end: -8px;
  }

  .unfold svg {
    rotate: 90deg;
  }

  .unfold[aria-expanded='true'] svg {
    rotate: -90deg;
  }

  #heading {
    border-radius: 4px;
    font-size: calc(var(--_size) * 1.04);
    font-weight: 450;
    line-height: 1.4;
    text-wrap: pretty;
  }

  .object {
    font-weight: 660;
  }

  #heading:focus {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  .what {
    display: flex;
    gap: 10px;
  }

  .what > div {
    flex: 1;
    min-width: 0;
  }

  .icon {
    flex: none;
    font-size: calc(var(--_size) * 1.15);
    line-height: 1.3;
  }

  .lead {
    display: block;
    font-weight: 400;
  }

  .consequence {
    display: flex;
    flex-wrap: wrap;
    gap: 0 12px;
    margin-block-start: 3px;
  }

  .consequence,
  .note,
  .more {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .risk {
    display: inline-flex;
    align-items: center;
    gap: 5px;
    color: var(--_tone);
    font-weight: 550;
  }

  [data-risk='query'] .risk,
  [data-risk='write'] .risk {
    font-weight: 400;
  }

  .risk svg {
    width: 15px;
    height: 15px;
  }

  .host bdi {
    color: var(--_text);
    font-weight: 550;
  }

  .reason {
    color: var(--_warn);
  }

  .arguments,
  .preview {
    display: grid;
    gap: 4px;
    padding: 8px 12px;
    border-radius: var(--_radius-small);
    background: var(--_subtle);
  }

  .heading,
  .lead {
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .change {
    display: grid;
    justify-items: start;
    gap: 1px;
    font-size: var(--_small);
  }

  .change + .change {
    margin-block-start: 6px;
  }

  .before,
  .after {
    display: grid;
    grid: auto / 14px 1fr;
    justify-items: start;
  }

  .before > *,
  .after > * {
    grid-column: 2;
  }

  .before::before,
  .after::before {
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

  .hint {
    margin-block-end: -6px;
    color: var(--_warn);
    font-size: var(--_tiny);
  }

  /* The hint keeps its space after it is resolved, so that no button moves just before it is pressed. */
  .hint.over {
    visibility: hidden;
  }

  .hint:empty,
  .reason:empty {
    display: none;
  }

  .more {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    align-items: flex-start;
    gap: 0 2px;
    margin-block-start: -8px;
    margin-inline-start: -8px;
  }

  .more summary,
  .more .edit {
    display: inline-flex;
    align-items: center;
    gap: 3px;
    min-height: 28px;
    margin: 0;
    padding: 2px 8px;
    border-radius: calc(var(--_radius) * 0.5);
    font-size: var(--_small);
    font-weight: 400;
  }

  .more summary svg {
    width: 13px;
    height: 13px;
    rotate: 90deg;
  }

  .more details[open] > summary svg {
    rotate: -90deg;
  }

  .more details[open] {
    flex: 1 0 100%;
  }

  .folded {
    display: grid;
    gap: 8px;
    padding-block: 4px 6px;
  }

  [data-risk='danger'] .allow[aria-disabled='false'] {
    background: var(--_bad);
    color: var(--_on-bad);
  }

  [data-risk='danger'] .allow[aria-disabled='false']:hover {
    background: color-mix(in oklab, var(--_bad), var(--_text) 14%);
  }

  .answer {
    display: contents;
  }

  /* A sheet: its text scrolls, its buttons stay in place. */
  @container (max-height: 290px) {
    :host([data-sheet]) {
      min-block-size: 0;
      overflow: hidden auto;
    }

    :host([data-sheet]) .approval {
      display: flex;
      flex-direction: column;
      gap: 8px;
      max-block-size: calc(100cqb - 1px);
      padding-block: 8px;
    }

    :host([data-sheet]) .facts {
      min-block-size: 44px;
      max-block-size: none;
    }

    :host([data-sheet]) .what {
      padding-inline-end: 30px;
    }

    :host([data-sheet]) .answer {
      flex: none;
      display: flex;
      flex-flow: row-reverse wrap-reverse;
      align-items: end;
      gap: 2px 8px;
    }

    :host([data-sheet]) .decision {
      flex: 1 0 auto;
      max-inline-size: 100%;
    }

    :host([data-sheet]) .more {
      max-block-size: 88px;
      margin-block: 0;
      margin-inline-end: auto;
      overflow: hidden auto;
    }

    :host([data-sheet]) .hint {
      margin: 0;
    }
  }
`;
