/** Loads Markdown with the first answer that needs it. If it cannot be loaded (offline, blocked), answers stay plain text. */
import { load } from '../../base/load.js';
import { addSheet } from '../../base/style-sheets.js';
import type { Texts } from '../../i18n/en.js';

export interface Markdown {
  create: (
    target: HTMLElement,
    texts: Texts | undefined,
  ) => { push(text: string): void; flush(most: number): boolean; end(most: number): boolean };
  /** Adds the styles of rendered text to a shadow root, once. */
  adopt: (root: ShadowRoot) => void;
}

let loading: Promise<Markdown | undefined> | undefined;
let loaded: Markdown | undefined;

/** Signs of the syntax that is loaded by itself: links, images, HTML, character references, formulas and escapes. */
const SYNTAX = /[\\[<&$@]|:\/\/|www\./i;

let loadingSyntax: Promise<boolean> | undefined;
let isSyntaxLoaded = false;

export const isComplete = (): boolean => isSyntaxLoaded;

/** Returns true if a text may have syntax that is loaded by itself. The text before `from` is known to have none. */
export const mayHaveSyntax = (text: string, from = 0): boolean => SYNTAX.test(text.slice(Math.max(0, from - 3)));

/** Resolves with true if texts that are rendered from now on have the rest of the syntax. */
export function loadSyntax(): Promise<boolean> {
  return (loadingSyntax ??= openSyntax().catch(() => {
    loadingSyntax = undefined; // the next message tries again
    return false;
  }));
}

async function openSyntax(): Promise<boolean> {
  const [{ addSyntax }, syntax] = await Promise.all([
    load(() => import('../../markdown/markdown.js')),
    load(() => import('../../markdown/lazy-syntax.js')),
  ]);
  addSyntax(syntax);
  return (isSyntaxLoaded = true);
}

export const loadedMarkdown = (): Markdown | undefined => loaded;

export function loadMarkdown(): Promise<Markdown | undefined> {
  loading ??= openMarkdown().catch(() => {
    loading = undefined; // the next message tries again
    return undefined;
  });
  return loading;
}

async function openMarkdown(): Promise<Markdown> {
  const [{ createMarkdownRenderer }, { markdownStyles }] = await Promise.all([
    load(() => import('../../markdown/markdown.js')),
    load(() => import('../../markdown/styles.js')),
  ]);
  return (loaded = {
    create: (target, texts) =>
      createMarkdownRenderer(target, { baseUrl: document.baseURI, ...(texts && { texts, labels: labelsOf(texts) }) }),
    adopt: (root) => {
      const sheet = markdownStyles.styleSheet;
      if (sheet) addSheet(root, sheet);
    },
  });
}

function labelsOf(texts: Texts) {
  return {
    image: (host: string | null, alt: string) => [texts.image(host ?? ''), alt && `\u2068${alt}\u2069`].filter(Boolean).join(': '),
    copyCode: texts.copy,
    codeCopied: texts.copied,
    codeNotCopied: texts.copyFailed,
    carries: texts.linkCarries,
    mailCopies: texts.mailCopies,
    mailHiddenCopies: texts.mailHiddenCopies,
    mailFilled: texts.mailFilled,
  };
}
