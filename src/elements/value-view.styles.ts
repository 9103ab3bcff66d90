import { css, unsafeCSS } from 'lit';

/** Number of lines and of characters above which a value is folded. */
export const LINES_SHOWN = 8;
export const CHARACTERS_SHOWN = 600;

export const valueStyles = css`
  .rows {
    display: grid;
    gap: 4px;
    font-size: var(--_small);
    line-height: 1.5;
  }

  .key,
  .equals {
    color: var(--_muted);
  }

  .key {
    unicode-bidi: plaintext;
  }

  .value {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    /* Data is shown without trimming: trimming long runs of East Asian punctuation takes seconds. */
    text-spacing-trim: space-all;
    color: var(--_text);
  }

  .portion {
    display: block;
    content-visibility: auto;
    contain-intrinsic-block-size: auto 130em;
  }

  .value[data-folded] {
    display: block;
    max-height: ${unsafeCSS(LINES_SHOWN * 1.5)}em;
    overflow: hidden;
    mask-image: linear-gradient(#000 70%, rgb(0 0 0 / 25%));
  }

  .mark {
    display: inline-block;
    width: 1px;
    height: 1px;
    margin-inline-end: -1px;
    vertical-align: middle;
    /* Above the adjacent letter, which would otherwise count as covering the mark. */
    position: relative;
    z-index: 1;
  }

  .chip {
    display: inline-block;
    margin-inline: 1px;
    padding: 0 4px;
    border-radius: 4px;
    background: var(--_hover);
    color: var(--_muted);
    font: 0.8em / 1.5 var(--_mono);
    vertical-align: baseline;
    white-space: nowrap;
    unicode-bidi: isolate;
    direction: ltr;
  }

  .chip[data-hidden] {
    background: var(--_warn-soft);
    color: var(--_warn);
    box-shadow: inset 0 0 0 1px currentColor;
  }

  .hidden-note {
    display: block;
    margin-block-start: 2px;
    color: var(--_warn);
    font-size: var(--_tiny);
  }

  .fold {
    display: flex;
    align-items: center;
    gap: 6px;
    margin-block-start: 2px;
    margin-inline-start: -8px;
    color: var(--_muted);
    font-size: var(--_tiny);
  }
`;
