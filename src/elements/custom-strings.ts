/** Replaces texts of the catalog with the page's own, key by key. Loaded if a page has its own texts. */
import { OPTIONS_LINK } from '../base/docs-links.js';
import { isObject, own } from '../base/objects.js';
import { wholeEnglish, type Texts } from '../i18n/en.js';

wholeEnglish();

/** Returns the merged texts. The same catalog and object always give the same result, with one warning for each invalid key. */
export function withOwnTexts(texts: Texts, given: unknown): Texts {
  if (!isObject(given)) return texts;
  const known = made.get(given)?.get(texts);
  if (known) return known;
  // The catalog is the prototype, so that keys added to it later are visible.
  const merged = Object.create(texts) as Texts;
  for (const [key, value] of Object.entries(given)) {
    const fitting = fit(own(texts, key), value);
    if (fitting !== undefined) Object.defineProperty(merged, key, { value: fitting, enumerable: true });
    else if (!made.has(given)) complain(key, value, own(texts, key));
  }
  made.set(given, (made.get(given) ?? new WeakMap()).set(texts, merged));
  return merged;
}

const made = new WeakMap<object, WeakMap<Texts, Texts>>();

/** Returns the page's text in the form of the catalog's; undefined if it cannot replace it. */
function fit(theirs: unknown, value: unknown): unknown {
  if (typeof theirs === 'string') return typeof value === 'string' ? value : undefined;
  if (typeof theirs === 'function') {
    if (typeof value === 'string') return () => value;
    return typeof value === 'function' ? guarded(value as Words, theirs as Words) : undefined;
  }
  if (!isObject(theirs) || !isObject(value) || !Object.values(value).every((word) => typeof word === 'string')) return undefined;
  return { ...theirs, ...value };
}

type Words = (...args: unknown[]) => unknown;

/** Wraps a function of the page. If it throws or returns no string, the catalog's text is used. */
function guarded(words: Words, theirs: Words): Words {
  return (...args) => {
    try {
      const said = words(...args);
      if (typeof said === 'string') return said;
    } catch {}
    return theirs(...args);
  };
}

function complain(key: string, value: unknown, theirs: unknown): void {
  const wanted = theirs === undefined ? 'the name of a text' : `a ${typeof theirs}`;
  // eslint-disable-next-line no-console -- for whoever writes the page, like every option that does not fit
  console.warn(`[tool-chat] Invalid texts.${key} (${typeof value}). Expected ${wanted}. ${OPTIONS_LINK}`);
}
