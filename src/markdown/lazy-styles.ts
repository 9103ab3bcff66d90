/** Styles of lazily loaded parts, added to the root that needs them. */
import { addSheet, createSheet } from '../base/style-sheets.js';
const CSS_TEXT = `
/* Only where code is: a rule for everything would be resolved for every element of an answer. */
@media (forced-colors: none) {
  .code-lines::highlight(tool-chat-keyword) { color: var(--tool-chat-code-keyword, light-dark(#8b2a9e, #d9a5f5)); }
  .code-lines::highlight(tool-chat-string) { color: var(--tool-chat-code-string, light-dark(#17734a, #7fd6a4)); }
  .code-lines::highlight(tool-chat-number) { color: var(--tool-chat-code-number, light-dark(#9a4a00, #f2b36b)); }
  .code-lines::highlight(tool-chat-comment) { color: var(--tool-chat-code-comment, light-dark(#61646e, #a3a6b1)); }
  .code-lines::highlight(tool-chat-name) { color: var(--tool-chat-code-name, light-dark(#1d5bb0, #8ab8ff)); }
  .code-lines::highlight(tool-chat-added) { color: var(--_ok); }
  .code-lines::highlight(tool-chat-removed) { color: var(--_bad); }
}
.group .code-language { margin-inline-end: auto; }
.group .code-wrap[aria-pressed='true'] { color: var(--_accent); }
.group pre.wrapped { white-space: pre-wrap; overflow-wrap: anywhere; }
.group .wrapped .code-section { inline-size: auto; }
.group .formula { direction: ltr; unicode-bidi: isolate; }
.group .formula.block { display: block; padding-block: 0.3em; overflow-x: auto; overflow-y: hidden; }
.group .formula.wide { display: inline-block; max-inline-size: 100%; overflow: auto hidden; vertical-align: middle; }
.group mtr.lined mtd { border-block-start: 1px solid; }
.group .cancel { background: linear-gradient(to top left, transparent calc(50% - 0.6px), currentColor calc(50% - 0.6px) calc(50% + 0.6px), transparent calc(50% + 0.6px)); }
.group .formula:focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; }
.group math { font-size: 1.08em; }
.group .pairs mtd { padding-inline: 0.06em; }
.group .note { font-size: 0.75em; vertical-align: super; line-height: 0; color: var(--_accent); }
.group :is(.note-mark, .note-back) {
  display: inline-flex; justify-content: center; min-inline-size: 1.5em; min-block-size: 1.5em; margin-inline: 0.15em; padding: 0 0.3em; border: 0;
  border-radius: 1em; background: var(--_accent-soft); color: var(--_accent);
  font: inherit; font-size: 0.72em; font-weight: 600; line-height: 1.5em; vertical-align: 0.35em; position: relative; cursor: pointer;
}
.group .note-mark::after { content: ''; position: absolute; inset: -4px -2px; }
.group .note-back { background: none; vertical-align: baseline; min-inline-size: 24px; min-block-size: 24px; }
.group.notes { margin-block-start: 1em; padding-block-start: 0.7em; border-block-start: 1px solid var(--_line); font-size: 0.87em; }
.group .notes-title { color: var(--_muted); font-weight: 600; }
.group .notes-title + ol { margin-block-start: 0.3em; }
.group.notes li { overflow-wrap: anywhere; }
.group.notes li:focus { outline: 2px solid var(--_accent); outline-offset: 2px; border-radius: 4px; }
.group .image:has(.image-button, img) { padding: 0; border: 0; background: none; font-size: inherit; }
.group .image-button {
  min-block-size: 2.4em; padding: 0.4em 0.9em; border: 1px dashed var(--_edge);
  border-radius: calc(var(--_radius) * 0.67); background: var(--_subtle);
  color: var(--_text); font: inherit; font-size: 0.87em; text-align: start; white-space: normal; cursor: pointer;
}
.group .image-button:hover { background: var(--_hover); }
.group .image img { display: block; max-inline-size: 100%; max-block-size: 60vh; border-radius: calc(var(--_radius) * 0.67); }
@media (pointer: coarse) { .group :is(.image-button, .note-back) { min-block-size: 44px; min-inline-size: 44px; } }
@media (forced-colors: active) {
  .group .note-back { border: 1px solid; }
  .group .code-wrap[aria-pressed='true'] { background: Highlight; color: HighlightText; forced-color-adjust: none; }
}
.group .boxed { padding: 0.25em 0.4em; border: 1px solid; }
`;

let sheet: CSSStyleSheet | undefined;
const adopted = new WeakSet<Node>();

export const lazyStyles = {
  /** Adds the styles once for each root. */
  adopt(element: Element): void {
    const root = element.getRootNode();
    if (adopted.has(root) || !('adoptedStyleSheets' in root)) return;
    adopted.add(root);
    addSheet(root as ShadowRoot, (sheet ??= createSheet(CSS_TEXT)));
  },
};
