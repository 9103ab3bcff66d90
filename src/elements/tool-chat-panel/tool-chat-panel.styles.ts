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
    /* A page that forbids selection means its own content. */
    -webkit-user-select: text;
    user-select: text;
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
    border-radius: calc(var(--_radius) * 1.33);
    background: var(--_bg);
    overflow: clip;
  }

  /* Hide texts until the catalog has loaded, so that none appears in the wrong language first. */
  :host([data-wordless]) .panel > * {
    opacity: 0;
  }

  :host([layout='floating']) .panel {
    border-color: transparent;
    border-radius: calc(var(--_radius) * 1.67);
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

  /* The elements after it are aligned to the end. */
  .more {
    margin-inline: auto -10px;
  }

  header > button {
    flex: none;
    margin-inline-start: -8px;
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
    border-radius: var(--_radius-small);
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
    border-radius: calc(var(--_radius) * 1.08);
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
    /* The content of the log can query the available space. */
    container-type: size;
  }

  .messages {
    flex: 1;
    min-width: 0;
    overflow: hidden auto;
    scrollbar-width: thin;
    scrollbar-color: var(--_line-strong) transparent;
    overflow-anchor: none;
  }

  /* A chat over the page must not scroll the page. An inline chat passes wheel and touch scrolling on to it. */
  :host(:not([layout='inline'])) .messages {
    overscroll-behavior: contain;
  }

  .messages:focus-visible {
    outline-offset: -2px;
  }

  .list {
    display: flow-root;
    max-width: var(--tool-chat-max-width, 760px);
    min-height: 100%;
    margin-inline: auto;
    padding: calc(22px * var(--_density)) var(--_gutter) calc(18px * var(--_density));
  }

  .list:has(.empty) {
    display: grid;
    padding-block: 0;
  }

  .end {
    height: 1px;
    margin-block-start: -1px;
  }

  .group {
    contain-intrinsic-size: auto 2000px;
  }

  .group[data-settled]:not([data-near]) {
    content-visibility: auto;
  }

  /* The same containment as while the layout is skipped. Otherwise all content would be laid out and painted again whenever that
     changes. The margin leaves room for focus rings. */
  @supports (overflow-clip-margin: 1px) {
    .group[data-settled] {
      contain: content;
      overflow-clip-margin: 6px;
    }
  }

  .group[data-empty] {
    block-size: 2000px;
  }

  /* The same height as its 16 empty groups. */
  .stack[data-empty] {
    block-size: calc(16 * 2000px + 15 * 18px);
  }

  .day {
    margin-block: 6px -2px;
    color: var(--_muted);
    font: var(--_tiny) / 1.4 var(--_font);
    text-align: center;
  }

  .stack + .stack,
  .group + .group,
  tool-chat-message + tool-chat-message,
  .queued {
    margin-block-start: calc(18px * var(--_density));
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
    border-radius: calc(var(--_radius) * 1.33);
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
  }

  /* With very little room, the composer gives its space to an approval, until it gets the focus. */
  @media (max-height: 320px) {
    .panel[data-asks] tool-chat-composer:not(:focus-within) {
      block-size: 0;
      overflow: clip;
    }
  }

  /* At this size the panel fills the window, and a notch covers its top. */
  @media (max-width: 480px), (max-height: 480px) {
    :host([layout='floating']) header {
      padding-block-start: max(8px, env(safe-area-inset-top));
    }
  }

  @container (max-width: 420px) {
    header {
      padding-inline-start: 14px;
    }

    .list {
      padding-inline: 14px;
    }
  }

  @media (forced-colors: active) {
    .panel {
      border-color: CanvasText;
    }
  }

  /* Nothing scrolls in print: the whole conversation is printed, without controls. */
  @media print {
    :host,
    .panel,
    .stage,
    .messages {
      display: block;
      height: auto;
      overflow: visible;
      container-type: normal;
    }

    .group[data-settled] {
      content-visibility: visible;
      contain: none;
    }

    tool-chat-composer {
      display: none;
    }
  }
`;
