/** The styles that all parts share: a reset of styles inherited from the page, buttons, and focus rings. */
import { css } from 'lit';

export const shared = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }

  [hidden] {
    display: none !important;
  }

  h2,
  h3,
  p,
  ul,
  pre {
    margin: 0;
    padding: 0;
    font: inherit;
    list-style: none;
  }

  code {
    unicode-bidi: plaintext;
  }

  svg {
    display: block;
    flex: none;
  }

  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 6px;
    min-height: calc(34px * var(--_density));
    margin: 0;
    padding: 0 calc(14px * var(--_density));
    border: 1px solid var(--_line-strong);
    border-radius: var(--_radius-small);
    background: var(--_raised);
    color: var(--_text);
    font: 550 var(--_small) / 1.2 var(--_font);
    cursor: pointer;
    /* Never transition the text color: text cannot be read while it fades. */
    transition:
      background 0.12s,
      border-color 0.12s;
    -webkit-tap-highlight-color: transparent;
    touch-action: manipulation;
  }

  button:hover {
    background: var(--_hover);
  }

  button:disabled,
  button[aria-disabled='true'] {
    cursor: default;
  }

  .primary {
    border-color: transparent;
    background: var(--_accent);
    color: var(--_on-accent);
  }

  .primary:hover {
    background: color-mix(in oklab, var(--_accent), var(--_text) 14%);
  }

  .quiet {
    min-height: 28px;
    padding: 0 8px;
    border-color: transparent;
    background: none;
    color: var(--_muted);
    font-weight: 500;
  }

  .quiet:hover {
    background: var(--_hover);
    color: var(--_text);
  }

  .square {
    width: 30px;
    padding: 0;
  }

  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }

  summary {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    margin-inline-start: -4px;
    padding: 3px 8px 3px 4px;
    border-radius: calc(var(--_radius) * 0.5);
    list-style: none;
    cursor: pointer;
    user-select: none;
  }

  summary::-webkit-details-marker {
    display: none;
  }

  summary:hover {
    background: var(--_hover);
    color: var(--_text);
  }

  summary svg {
    transition: rotate 0.15s;
  }

  summary:dir(rtl) svg {
    rotate: 180deg;
  }

  details[open] > summary svg {
    rotate: 90deg;
  }

  .spinner {
    border: 1.5px solid color-mix(in oklab, currentColor 25%, transparent);
    border-block-start-color: currentColor;
    border-radius: 50%;
    animation: turn 0.8s linear infinite;
  }

  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }

  progress {
    width: 100%;
    height: 4px;
    border: 0;
    border-radius: 4px;
    background: var(--_hover);
    overflow: hidden;
    appearance: none;
  }

  progress::-webkit-progress-bar {
    background: none;
  }

  progress::-webkit-progress-value {
    border-radius: 4px;
    background: var(--_accent);
    transition: width 0.2s;
  }

  progress::-moz-progress-bar {
    border-radius: 4px;
    background: var(--_accent);
  }

  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  @media (pointer: coarse) {
    /* The id in :not() raises the specificity above any rule of a part. */
    button:not(#_),
    summary:not(#_) {
      min-height: 44px;
      min-width: 44px;
    }
  }

  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation-duration: 0.01ms !important;
      animation-iteration-count: 1 !important;
      transition-duration: 0.01ms !important;
      scroll-behavior: auto !important;
    }
  }

  @media (forced-colors: active) {
    button {
      border-color: ButtonText;
    }

    /* In forced colors, keep the primary action distinct from the others. */
    .primary:not(#_, [aria-disabled='true'], :disabled) {
      border-color: Highlight;
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }

    button[aria-disabled='true'],
    button:disabled {
      border-color: GrayText;
      color: GrayText;
    }
  }
`;
