import { css } from 'lit';

export const styles = css`
  :host {
    display: contents;
  }

  dialog {
    box-sizing: border-box;
    width: min(560px, 100vw - 24px);
    max-height: min(86dvh, 100dvh - 24px);
    margin: auto;
    padding: 0;
    border: 1px solid var(--_line-strong);
    border-radius: calc(var(--_radius) * 1.33);
    background: var(--_raised);
    color: var(--_text);
    box-shadow: var(--_shadow);
    overflow: auto;
    overscroll-behavior: contain;
  }

  dialog[data-risk='danger'] {
    border-color: color-mix(in oklab, var(--_bad) 45%, var(--_line));
  }

  dialog[data-risk='danger'] h2 {
    color: var(--_bad);
  }

  dialog:focus {
    outline: none;
  }

  dialog::backdrop {
    background: rgb(12 13 20 / 52%);
  }

  header {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 12px;
    padding-block: 12px 6px;
    padding-inline: 14px 10px;
  }

  h2 {
    color: var(--_warn);
    font: 550 var(--_small) / 1.4 var(--_font);
  }

  .more {
    color: var(--_muted);
    font-weight: 400;
  }

  .question {
    container-type: inline-size;
    padding-block-end: 4px;
  }

  /* With little room, the text scrolls between the header and the buttons. */
  @media (max-height: 420px) {
    dialog {
      max-height: 100dvh;
    }

    header {
      padding-block: 4px 0;
    }

    .question {
      container-type: size;
      block-size: min(288px, 100dvh - 48px);
      padding: 0;
    }

    tool-chat-approval {
      max-block-size: 100%;
    }
  }

  @media (max-width: 480px) {
    dialog {
      margin-block-end: 12px;
    }
  }
`;
