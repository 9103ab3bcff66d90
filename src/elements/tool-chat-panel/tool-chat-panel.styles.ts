import { css } from 'lit';

export const styles = css`
  :host {
    all: initial;
    display: flex;
    flex-direction: column;
    width: 100%;
    height: 100%;
    min-height: 0;
    container-type: inline-size;
    color-scheme: inherit;
    color: var(--_text);
    font: var(--_size) / 1.5 var(--_font);
    -webkit-font-smoothing: antialiased;
    text-size-adjust: 100%;
  }

  :host([theme='light']) {
    color-scheme: light;
  }

  :host([theme='dark']) {
    color-scheme: dark;
  }

  :host([hidden]) {
    display: none;
  }

  .panel {
    position: relative;
    display: flex;
    flex: 1;
    flex-direction: column;
    min-height: 0;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) + 4px);
    background: var(--_bg);
    overflow: clip;
  }

  :host([layout='floating']) .panel {
    border-color: transparent;
    border-radius: calc(var(--_radius) + 8px);
    box-shadow: var(--_shadow);
  }

  :host([layout='sidebar']) .panel {
    border-width: 0;
    border-inline-start-width: 1px;
    border-radius: 0;
  }

  :host([layout='fullscreen']) .panel {
    border: 0;
    border-radius: 0;
    padding: env(safe-area-inset-top) env(safe-area-inset-right) 0 env(safe-area-inset-left);
  }

  header {
    display: flex;
    align-items: center;
    gap: 10px;
    min-height: 52px;
    padding-block: 8px;
    padding-inline: var(--_gutter) 10px;
    border-block-end: 1px solid var(--_line);
  }

  header > button {
    margin-inline-start: auto;
  }

  h2 {
    font-size: calc(var(--_size) * 1.02);
    font-weight: 620;
    letter-spacing: -0.006em;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .logo {
    display: grid;
    place-items: center;
    flex: none;
    width: 26px;
    height: 26px;
    border-radius: 8px;
    background: linear-gradient(150deg, color-mix(in oklab, var(--_accent), white 18%), var(--_accent));
    color: var(--_on-accent);
    box-shadow:
      inset 0 1px 0 rgb(255 255 255 / 22%),
      0 1px 2px rgb(20 22 40 / 18%);
  }

  .logo svg {
    width: 14px;
    height: 14px;
  }

  .large {
    width: 44px;
    height: 44px;
    border-radius: 13px;
  }

  .large svg {
    width: 22px;
    height: 22px;
  }

  .stage {
    position: relative;
    display: flex;
    flex: 1 1 0;
    min-height: 56px;
  }

  .messages {
    flex: 1;
    min-width: 0;
    overflow: hidden auto;
    overscroll-behavior: contain;
    scrollbar-width: thin;
    scrollbar-color: var(--_line-strong) transparent;
    overflow-anchor: none;
  }

  .messages:focus-visible {
    outline-offset: -2px;
  }

  .list {
    display: flow-root;
    max-width: var(--tool-chat-max-width, 760px);
    min-height: 100%;
    margin-inline: auto;
    padding: 22px var(--_gutter) 18px;
  }

  .list:has(.empty) {
    display: grid;
  }

  .end {
    height: 1px;
    margin-block-start: -1px;
  }

  .group {
    contain-intrinsic-size: auto 2400px;
  }

  .group[data-settled] {
    content-visibility: auto;
  }

  .group + .group,
  tool-chat-message + tool-chat-message,
  .queued {
    margin-block-start: 18px;
  }

  tool-chat-message {
    display: block;
  }

  .empty {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 16px;
    padding-block: 24px;
    text-align: center;
  }

  .empty p {
    font-size: calc(var(--_size) * 1.35);
    font-weight: 620;
    letter-spacing: -0.012em;
    text-wrap: balance;
  }

  .queued {
    display: grid;
    justify-items: end;
    gap: 2px;
  }

  .queued p {
    max-width: min(85%, 36em);
    padding: 8px 14px;
    border: 1px dashed var(--_line-strong);
    border-radius: calc(var(--_radius) + 4px);
    color: var(--_muted);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }

  .queued small {
    display: flex;
    align-items: center;
    gap: 2px;
    color: var(--_muted);
    font-size: var(--_tiny);
  }

  .queued button {
    width: 26px;
    min-height: 26px;
  }

  .results {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: 6px 12px;
    margin-block-start: 8px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .latest {
    flex: none;
    min-height: 26px;
    margin-inline-start: auto;
    padding-inline: 8px 12px;
    border-color: var(--_line-strong);
    border-radius: 99px;
    font-size: var(--_tiny);
  }

  @keyframes rise {
    from {
      translate: 0 8px;
    }
  }

  tool-chat-grants {
    display: block;
    max-block-size: 9rem;
    overflow: auto;
  }

  /* Where there is little height the bars scroll; the text field is never cut off. */
  footer {
    display: flex;
    flex: 0 1 auto;
    flex-direction: column;
    min-height: 0;
    width: 100%;
    max-width: calc(var(--tool-chat-max-width, 760px));
    margin-inline: auto;
    padding: 0 var(--_gutter) max(var(--_gutter) * 0.7, env(safe-area-inset-bottom));
  }

  .bars {
    flex: 0 1 auto;
    min-height: 0;
    overflow: auto;
    scrollbar-width: thin;
  }

  .line,
  tool-chat-composer {
    flex: none;
  }

  .line {
    display: flex;
    align-items: center;
  }

  tool-chat-batch {
    display: block;
    margin-block: 8px 2px;
  }

  .status {
    display: flex;
    flex: 1;
    min-width: 0;
    align-items: center;
    gap: 8px;
    min-height: 28px;
    padding-inline: 4px;
    color: var(--_muted);
    font-size: var(--_small);
  }

  .spinner {
    flex: none;
    width: 12px;
    height: 12px;
  }

  /* Nothing turns while it is the person who is waited for. */
  .status[data-waiting] .spinner {
    width: 7px;
    height: 7px;
    margin-inline: 2px 3px;
    border: 0;
    background: var(--_warn);
    animation: none;
  }

  .words {
    padding: 1px 8px;
    border: 1px solid var(--_line);
    border-radius: 99px;
    color: var(--_text);
  }

  .status progress {
    flex: 1;
    max-width: 200px;
  }

  .error {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 6px 10px;
    margin-block-start: 8px;
    padding-block: 8px;
    padding-inline: 14px 8px;
    border: 1px solid color-mix(in oklab, var(--_bad) 26%, transparent);
    border-radius: var(--_radius);
    background: var(--_bad-soft);
    font-size: var(--_small);
    animation: rise 0.2s var(--_ease);
  }

  .error .sign {
    color: var(--_bad);
  }

  .error p {
    flex: 1 1 140px;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  /* With advice below it, it wants the width: the buttons go below. */
  .error p:has(> * + *) {
    flex-basis: 220px;
  }

  .error p > * {
    display: block;
  }

  .error strong {
    font-weight: 580;
  }

  .error p span {
    color: var(--_muted);
  }

  .error a {
    color: var(--_accent);
  }

  .error[data-retrying] {
    border-color: var(--_line);
    background: var(--_subtle);
    color: var(--_muted);
  }

  .error tool-chat-fault {
    flex-basis: 100%;
    /* Its row of buttons: what is loaded late moves nothing that is about to be pressed. */
    min-block-size: 30px;
  }

  .error.notice,
  .error[data-offline] {
    border-color: var(--_line);
    background: var(--_subtle);
  }

  .choices {
    display: flex;
    gap: 4px;
    margin-inline-start: auto;
  }

  .choices button {
    min-height: 30px;
    padding-inline: 11px;
  }

  @media (max-height: 420px) {
    header {
      min-height: 40px;
      padding-block: 4px;
    }

    .logo:not(.large),
    .empty .logo {
      display: none;
    }

    .list {
      padding-block: 10px;
    }

    .empty {
      padding-block: 4px;
    }

    .status {
      min-height: 20px;
    }
  }

  @container (max-width: 420px) {
    header {
      padding-inline-start: 14px;
    }

    .list {
      padding-inline: 14px;
    }

    footer {
      padding-inline: 12px;
    }
  }

  @media (pointer: coarse) {
    .choices button {
      min-height: 44px;
    }
  }

  @media (forced-colors: active) {
    .panel {
      border-color: CanvasText;
    }
  }
`;
