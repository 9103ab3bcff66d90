/** Styles of rendered Markdown, for a shadow root that has the tokens. Only fonts and colors are inherited from the page. */
import { createSheet } from '../base/style-sheets.js';

const CSS = `
.group {
  display: flow-root;
  contain-intrinsic-block-size: auto 40em;
  overflow-wrap: anywhere;
  text-spacing-trim: space-all; /* to trim long runs of East Asian marks takes seconds */
  line-height: var(--tool-chat-line-height, 1.6);
}
.frozen { content-visibility: auto; }
.group .table-scroll { contain-intrinsic-block-size: auto 40em; }
.group > * { margin-block: 0; }
.group > * + *, * + .group { margin-block-start: 0.8em; }
.group > :is(ul, ol, .table-scroll).continued { margin-block-start: 0.25em; }
.group :is(p, h1, h2, h3, h4, h5, h6, li, th, td) { unicode-bidi: plaintext; text-align: start; white-space: pre-line; }
.group :is(th, td, li > p:first-child) { text-align: -webkit-match-parent; text-align: match-parent; } /* text begins at its marker, and a column has one side */
.group :is(li, blockquote) > * { margin-block: 0.5em 0; }
.group blockquote > :first-child, .group li > :first-child, .group .tight > li > p { margin-block: 0; }
.group .segment { display: block; }
.group .segment.frozen { contain-intrinsic-block-size: auto 150em; }
.group p.plain { white-space: pre-wrap; }

.group :is(h1, h2, h3, h4, h5, h6) { font-weight: 650; line-height: 1.3; letter-spacing: -0.01em; text-wrap: balance; }
.group > * + :is(h1, h2, h3, h4, h5, h6) { margin-block-start: 1.3em; }
.group h1 { font-size: 1.35em; }
.group h2 { font-size: 1.2em; }
.group h3 { font-size: 1.08em; }
.group :is(h4, h5, h6) { font-size: 1em; }
.group strong { font-weight: 650; }

/* The marker has its room on the side where the item begins. */
.group :is(ul, ol) { padding: 0; }
.group ul { list-style: disc; }
.group :is(ul, ol) ul { list-style: circle; }
.group ol { list-style: decimal; }
.group li { margin-block: 0; margin-inline-start: 1.6em; }
.group .tight > li + li,
.group .tight > li > :is(ul, ol) { margin-block-start: 0.25em; }
.group .loose > li + li { margin-block-start: 0.7em; }
.group li::marker { color: var(--_muted); font-variant-numeric: tabular-nums; }
.group .task-item { list-style: none; margin-inline-start: 0.3em; }
.group .task { margin-inline-end: 0.45em; }

.group blockquote {
  margin-inline: 0;
  padding-block: 0.1em;
  padding-inline: 1em 0;
  border-inline-start: 3px solid var(--_line);
  color: var(--_muted);
}
/* Where many stand inside one another, words keep their room. */
.group :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) { padding-inline-start: 0.2em; list-style-position: inside; }
.group :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) :is(ul, ol, blockquote) li { margin-inline-start: 0.2em; }
.group :is(sub, sup) { font-size: 0.75em; line-height: 0; }
.group kbd { padding: 0.1em 0.4em; border: 1px solid var(--_line-strong); border-radius: min(0.3em, var(--_radius)); background: var(--_subtle); font: 0.85em var(--_mono); }
.group hr { border: 0; border-block-start: 1px solid var(--_line); margin-block: 1.4em; }

.group a { color: var(--_accent); text-decoration-thickness: 1px; text-underline-offset: 0.18em; }
/* What is inside turns nothing round outside, nor the other way. */
.group :is(a, .unsafe-link) { unicode-bidi: plaintext; }
.group a.address { unicode-bidi: isolate; direction: ltr; }
.group .link-host, .group .image {
  unicode-bidi: isolate;
  direction: ltr;
  user-select: none; /* not copied with the text around it */
  -webkit-user-select: none;
  display: inline-block;
  max-inline-size: 100%;
  padding: 0 0.4em;
  border-radius: min(0.35em, var(--_radius));
  background: var(--_subtle);
  color: var(--_muted);
  font-size: 0.82em;
  line-height: 1.45;
}
.group .image { direction: inherit; border: 1px dashed var(--_line-strong); }

.group code, .group pre {
  font-family: var(--_mono);
  font-size: 0.9em;
  direction: ltr;
  unicode-bidi: isolate;
}
.group :not(pre) > code {
  padding: 0.12em 0.35em;
  border-radius: min(0.35em, var(--_radius));
  background: var(--_subtle);
  overflow-wrap: anywhere;
}
.group .code-block {
  direction: ltr;
  border: 1px solid var(--_line);
  border-radius: calc(var(--_radius) * 0.67);
  background: var(--_subtle);
  overflow: hidden;
}
.group .code-head {
  display: flex;
  align-items: center;
  justify-content: space-between;
  padding: 0.25em 0.4em 0.25em 0.9em;
  border-block-end: 1px solid var(--_line);
  color: var(--_muted);
  font-size: 0.8em;
}
.group .code-copy {
  padding: 0.25em 0.6em;
  min-block-size: 24px;
  border: 0;
  border-radius: min(0.4em, var(--_radius));
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}
.group .code-copy:hover { background: var(--_hover); }
.group pre { margin: 0; padding: 0.75em 0.9em; overflow-x: auto; line-height: 1.55; tab-size: 4; white-space: pre; overflow-wrap: normal; }
.group pre > code { display: block; font-size: 1em; }
.group :is(.code-section, .code-lines) { display: block; }
/* Containment clips: a section is as wide as its longest line. */
.group .code-section { inline-size: max-content; min-inline-size: 100%; contain-intrinsic-size: auto 0 auto 1500em; }

.group .table-scroll { overflow-x: auto; }
/* A page without a doctype lets tables inherit nothing. */
.group table { color: inherit; font: inherit; line-height: inherit; text-align: inherit; white-space: inherit; margin-inline: 0 auto; }
.group table { border-collapse: collapse; font-size: 0.95em; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.group :is(th, td) {
  padding: 0.4em 0.8em;
  border-block-end: 1px solid var(--_line);
  vertical-align: top;
}
.group th { font-weight: 650; border-block-end-color: var(--_line-strong); }
.group .align-left { text-align: left; }
.group .align-center { text-align: center; }
.group .align-right { text-align: right; }

.group :is(a, pre, button, .table-scroll):focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; }
.group a:focus-visible { outline-offset: 2px; border-radius: 2px; }

@media (pointer: coarse) {
  .group .code-copy { min-block-size: 44px; min-inline-size: 44px; }
}
@media (forced-colors: active) {
  .group :not(pre) > code, .group .link-host { border: 1px solid; }
  .group .code-copy { margin: -1px; border: 1px solid; }
}
`;

let sheet: CSSStyleSheet | undefined;

export const markdownStyles = {
  /** The source, for a page that wants to put it elsewhere. */
  cssText: CSS,
  /** One sheet for all shadow roots of this document, made when first asked for. */
  get styleSheet(): CSSStyleSheet {
    return (sheet ??= createSheet(CSS));
  },
};
