/** How the parts look that come late; brought into the root of what needs them. */
const CSS_TEXT = `
@media (forced-colors: none) {
  ::highlight(tool-chat-keyword) { color: var(--tool-chat-code-keyword, light-dark(#8b2a9e, #d9a5f5)); }
  ::highlight(tool-chat-string) { color: var(--tool-chat-code-string, light-dark(#17734a, #7fd6a4)); }
  ::highlight(tool-chat-number) { color: var(--tool-chat-code-number, light-dark(#9a4a00, #f2b36b)); }
  ::highlight(tool-chat-comment) { color: var(--tool-chat-code-comment, light-dark(#61646e, #a3a6b1)); }
  ::highlight(tool-chat-name) { color: var(--tool-chat-code-name, light-dark(#1d5bb0, #8ab8ff)); }
  ::highlight(tool-chat-added) { color: var(--tool-chat-success, light-dark(#17734a, #62d29b)); }
  ::highlight(tool-chat-removed) { color: var(--tool-chat-danger, light-dark(#bf2c2c, #ff8f88)); }
}
.group .code-language { margin-inline-end: auto; }
.group .code-wrap[aria-pressed='true'] { color: var(--tool-chat-accent, light-dark(#4b4fd1, #989cff)); }
.group pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; }
.group .wrapped .code-section { inline-size: auto; }
.group .formula { direction: ltr; unicode-bidi: isolate; }
.group .formula.block { display: block; padding-block: 0.3em; overflow-x: auto; overflow-y: hidden; }
.group .formula:focus-visible { outline: 2px solid var(--tool-chat-accent, light-dark(#4b4fd1, #989cff)); outline-offset: -2px; }
.group math { font-size: 1.08em; }
.group .pairs mtd { padding-inline: 0.06em; }
.group .boxed { padding: 0.25em 0.4em; border: 1px solid; }
`;

let sheet: CSSStyleSheet | undefined;
const adopted = new WeakSet<Node>();

export const lateStyles = {
  /** Once for each root. */
  adopt(element: Element): void {
    const root = element.getRootNode();
    if (adopted.has(root) || !('adoptedStyleSheets' in root)) return;
    adopted.add(root);
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(CSS_TEXT);
    }
    (root as ShadowRoot).adoptedStyleSheets.push(sheet);
  },
};
