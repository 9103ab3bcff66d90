import { css } from 'lit';

export const styles = css`
  .opener[aria-expanded='true'] {
    background: var(--_hover);
    color: var(--_text);
  }

  tool-chat-picker {
    position: absolute;
    inset-block-end: calc(100% + 6px);
    inset-inline: 0;
    z-index: 3;
  }

  .locks {
    margin-block-end: 6px;
  }

  .locked {
    display: inline-flex;
    align-items: center;
    gap: 6px;
    max-width: 100%;
    padding-block: 2px;
    padding-inline: 10px 2px;
    border: 1px solid color-mix(in oklab, var(--_accent), var(--_line) 60%);
    border-radius: calc(var(--_radius) * 8);
    background: var(--_accent-soft);
    color: var(--_text);
    font: 550 var(--_small) / 1.3 var(--_font);
    overflow-wrap: anywhere;
  }

  .locked button {
    min-height: 24px;
    width: 26px;
    padding: 0;
    border-radius: calc(var(--_radius) * 8);
  }

  .pictures {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin-block-end: 8px;
  }

  .picture {
    position: relative;
    flex: none;
  }

  .picture img {
    display: block;
    width: 56px;
    height: 56px;
    border: 1px solid var(--_line);
    border-radius: calc(var(--_radius) * 0.83);
    background: var(--_subtle);
    object-fit: cover;
  }

  .picture button {
    position: absolute;
    inset-block-start: -7px;
    inset-inline-end: -7px;
    width: 24px;
    min-height: 24px;
    padding: 0;
    border-radius: calc(var(--_radius) * 8);
    background: var(--_raised);
  }

  .picture button svg {
    width: 12px;
  }

  /* The target is as large as a finger; its visible part is a corner of a larger image. */
  @media (pointer: coarse) {
    .pictures {
      gap: 16px;
      padding-block-start: 10px;
      padding-inline-end: 12px;
    }

    .picture img {
      width: 84px;
      height: 84px;
    }

    .picture button {
      display: grid;
      place-items: center;
      inset-block-start: -14px;
      inset-inline-end: -14px;
      border-color: transparent;
      background: none;
    }

    .picture button svg {
      box-sizing: border-box;
      width: 24px;
      height: 24px;
      padding: 6px;
      border: 1px solid var(--_line-strong);
      border-radius: calc(var(--_radius) * 8);
      background: var(--_raised);
    }
  }

  .opener[aria-pressed='true'] {
    background: var(--_bad-soft);
    color: var(--_bad);
  }

  /* An open list replaces the quick commands, so that it is next to the button that opened it. */
  .commands:has(~ tool-chat-picker) {
    display: none;
  }
`;
