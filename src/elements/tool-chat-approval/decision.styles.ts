import { css } from 'lit';

/** Styles of decision buttons. While the delay runs, they fill up, so that the user sees when they are ready. */
export const decisionStyles = css`
  .buttons {
    display: flex;
    gap: 8px;
  }

  .sentence,
  .buttons button {
    unicode-bidi: plaintext;
  }

  .buttons button {
    position: relative;
    min-width: 84px;
    min-height: 36px;
    transition: none;
    overflow: hidden;
    isolation: isolate;
  }

  .buttons button[aria-disabled='true'] {
    border-color: var(--_line);
    background: var(--_subtle);
    color: var(--_muted);
  }

  .buttons[data-arming] button::before {
    content: '';
    position: absolute;
    inset: 0;
    z-index: -1;
    background: var(--_hover);
    transform-origin: 0 50%;
    animation: fill 0.5s linear both;
  }

  .buttons[data-arming] button:dir(rtl)::before {
    transform-origin: 100% 50%;
  }

  @keyframes fill {
    from {
      transform: scaleX(0);
    }
  }

  .buttons button {
    flex: 1 1 auto;
  }

  @container (min-width: 520px) {
    .buttons {
      justify-content: flex-end;
    }

    .buttons button {
      flex: none;
      min-width: 120px;
    }
  }
`;
