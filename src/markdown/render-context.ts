/** The context that all parts of a renderer share. */
import type { Texts } from '../i18n/en.js';
import type { LinkLabels } from './links.js';

/** The texts that a rendering needs. Defaults are English; pass those of the host's language. */
export interface MarkdownLabels extends LinkLabels {
  /** Returns the placeholder of an image, which is never loaded. `host` is null if its address cannot be loaded. */
  image(host: string | null, alt: string): string;
  copyCode: string;
  /** Replaces `copyCode` for two seconds after it worked. */
  codeCopied: string;
  /** Replaces `copyCode` for two seconds if the browser does not allow copying. */
  codeNotCopied: string;
}

export interface MarkdownOptions {
  labels?: Partial<MarkdownLabels>;
  /** The texts of the lazily loaded parts. Default: English. */
  texts?: Texts | undefined;
  /** Number of finished top-level blocks in a group whose layout is skipped while it is off screen. Default 24. */
  groupSize?: number;
  /** The base of relative links. Without it (default), they are shown as text. */
  baseUrl?: string;
}

/** Inline content with references that were undefined when it was finished. */
export interface WaitingInlines {
  element: HTMLElement;
  /** Its source, and how many of the element's first children are not made from it. */
  text: string;
  keep: number;
  labels: ReadonlySet<string>;
}

export interface MarkdownContext {
  readonly document: Document;
  readonly options: {
    readonly labels: MarkdownLabels;
    readonly texts: Texts | undefined;
    readonly groupSize: number;
    readonly baseUrl: string | undefined;
  };
  /** Link reference definitions: normalised label to destination. */
  readonly definitions: Map<string, string>;
  readonly waiting: WaitingInlines[];
  /** True if something like `[^1]` was found. */
  hasNotes: boolean;
}

export function createContext(document: Document, options: MarkdownOptions): MarkdownContext {
  return {
    document,
    options: {
      labels: {
        image: (host, alt) => `[image${alt === '' ? '' : `: ${alt}`}${host === null ? '' : ` (${host})`}]`,
        copyCode: 'Copy',
        codeCopied: 'Copied',
        codeNotCopied: 'Not copied',
        carries: (start, characters) => `${start}… (${characters} characters)`,
        mailCopies: (addresses) => `Cc: ${addresses}`,
        mailHiddenCopies: (addresses) => `Bcc: ${addresses}`,
        mailFilled: 'with prefilled text',
        ...options.labels,
      },
      texts: options.texts,
      groupSize: options.groupSize ?? 24,
      baseUrl: options.baseUrl,
    },
    definitions: new Map(),
    waiting: [],
    hasNotes: false,
  };
}

/** Number of elements that a segment may still create. Further markup becomes text. */
export interface ElementBudget {
  left: number;
}
