import { css } from 'lit';

/** Styles for the root that renders the choice, in addition to the shared styles. */
export const rememberStyles = css`
  .remember {
    color: var(--_muted);
    font-size: var(--_small);
  }

  .remember summary {
    width: fit-content;
    max-width: 100%;
  }

  .remember .chosen {
    color: var(--_text);
  }

  .remember .choices {
    display: grid;
    gap: 2px;
    margin-block-start: 4px;
  }

  .remember .choice {
    justify-content: flex-start;
    align-items: flex-start;
    gap: 9px;
    padding: 7px 9px;
    border-color: transparent;
    background: none;
    font-weight: 400;
    line-height: 1.45;
    text-align: start;
    overflow-wrap: anywhere;
  }

  .remember .choice:hover {
    background: var(--_hover);
  }

  .remember .choice::before {
    content: '';
    flex: none;
    width: 14px;
    height: 14px;
    margin-block-start: 2px;
    border: 1.5px solid var(--_edge);
    border-radius: 50%;
  }

  .remember .choice[aria-checked='true'] {
    background: var(--_accent-soft);
  }

  .remember .choice[aria-checked='true']::before {
    border: 4.5px solid var(--_accent);
  }

  @media (forced-colors: active) {
    .remember .choice[aria-checked='true']::before {
      border-color: Highlight;
    }
  }
`;
