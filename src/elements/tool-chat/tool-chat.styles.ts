/** Styles of the element before anything else is loaded; `layout.styles.ts` comes with the panel. */
const css = `
:host{all:initial;display:block;position:relative;block-size:100%;min-block-size:min(20rem,320px)}
:host([hidden]){display:none!important}
:host(:state(floating)){display:contents}
[role=alert]{font:14px system-ui}
`;

/**
 * Returns a constructed style sheet, which works under a strict Content Security Policy. The DOM of a test runner may be unable to fill it.
 */
export function sheet(): CSSStyleSheet {
  const made: Partial<CSSStyleSheet> = new CSSStyleSheet();
  made.replaceSync?.(css);
  return made as CSSStyleSheet;
}
