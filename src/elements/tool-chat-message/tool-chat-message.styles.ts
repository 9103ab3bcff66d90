import { css } from 'lit';

export const styles = css`
  :host {
    display: block;
    color: var(--_text);
    font: var(--_size) / 1.6 var(--_font);
  }

  :host([fresh]) article {
    animation: appear 0.22s var(--_ease);
  }

  /* A moving ancestor would contain a sheet. */
  @container (max-height: 290px) {
    :host([fresh]) article {
      animation: none;
    }
  }

  @keyframes appear {
    from {
      translate: 0 8px;
    }
  }

  article {
    overflow-wrap: anywhere;
  }

  .user {
    display: flex;
    flex-direction: column;
    align-items: flex-end;
    gap: 6px;
  }

  .user img {
    max-width: min(60%, 16em);
    max-height: 16em;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 1.17);
  }

  .user p {
    max-width: min(85%, 36em);
    padding: 8px 14px;
    border-radius: calc(var(--_radius) * 1.33);
    border-end-end-radius: 5px;
    background: var(--_bubble);
    line-height: 1.5;
    white-space: pre-wrap;
  }

  /* The browser's find-in-page still finds all of it. */
  .user p[data-folded] {
    max-height: 20em;
    overflow: hidden;
    mask-image: linear-gradient(#000 80%, transparent);
  }

  .text {
    /* A plain paragraph looks like rendered Markdown. Without Markdown, line breaks must be preserved. */
    line-height: var(--tool-chat-line-height, 1.6);
    text-align: start;
    text-spacing-trim: space-all;
    unicode-bidi: plaintext;
    white-space: pre-wrap;
  }

  .text[data-rendered] {
    unicode-bidi: normal;
    white-space: normal;
  }

  .body > * + * {
    margin-block-start: 12px;
  }

  .hint {
    color: var(--_muted);
    font-size: var(--_small);
  }

  [part~='reasoning'] {
    margin-block-end: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .body:has(> :not(.text:empty)) ~ .actions .dots {
    visibility: hidden;
  }

  /* No buttons follow a card. */
  .body:has(> [part~='message-tool']:last-child) ~ .actions:has(.dots) {
    display: none;
  }

  .reasoning {
    margin-block-start: 4px;
    padding-inline-start: 12px;
    border-inline-start: 2px solid var(--_line);
    unicode-bidi: plaintext;
    white-space: pre-wrap;
  }

  .note {
    display: flex;
    align-items: center;
    gap: 6px;
    margin-block-start: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .actions {
    display: flex;
    align-items: center;
    gap: 6px;
    min-height: 30px;
    margin-block-start: 2px;
  }

  .actions:not(:has(button, .dots)) {
    display: none;
  }

  .actions {
    gap: 0;
    margin-inline-start: -8px;
  }

  .user .actions {
    margin-inline: 0 -8px;
    margin-block-start: -4px;
  }

  .actions [part='continue-button'] {
    margin-inline: 8px 6px;
  }

  .act,
  time {
    opacity: 0;
  }

  time {
    padding-inline: 6px;
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  article:is(:hover, :focus-within) :is(.act, time),
  article[data-last] .act {
    opacity: 1;
  }

  @media (hover: none) {
    .act {
      opacity: 1;
    }
  }

  /* Without backgrounds, only the side would show whose message it is. */
  @media (forced-colors: active) {
    .user p {
      border: 1px solid;
    }
  }

  @media (pointer: coarse) {
    .actions {
      margin-inline-start: -14px;
    }

    .dots {
      min-height: 44px;
      margin-inline-start: 14px;
    }
  }

  /* The dots are in the row of the buttons, so that the text does not move when the buttons appear. */
  .dots {
    display: flex;
    align-items: center;
    gap: 5px;
    min-height: 30px;
    margin-inline-start: 8px;
  }

  .dots i {
    width: 6px;
    height: 6px;
    border-radius: 50%;
    background: var(--_muted);
    animation: pulse 1.3s infinite ease-in-out;
  }

  .dots i:nth-child(2) {
    animation-delay: 0.16s;
  }

  .dots i:nth-child(3) {
    animation-delay: 0.32s;
  }

  @keyframes pulse {
    0%,
    70%,
    100% {
      opacity: 0.25;
    }

    35% {
      opacity: 0.9;
    }
  }
`;
