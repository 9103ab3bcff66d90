/** Replaces texts of the catalog with the page's own, key by key. Loaded if a page has its own texts. */
import { OPTIONS_LINK } from '../base/docs-links.js';
import { isObject, own } from '../base/objects.js';
import { fullEnglish, type Texts } from '../i18n/en.js';

fullEnglish();

/** Returns the merged texts. The same catalog and object always give the same result, with one warning for each invalid key. */
export function withCustomTexts(texts: Texts, custom: unknown): Texts {
  if (!isObject(custom)) return texts;
  const cached = cache.get(custom)?.get(texts);
  if (cached) return cached;
  // The catalog is the prototype, so that keys added to it later are visible.
  const merged = Object.create(texts) as Texts;
  for (const [key, value] of Object.entries(custom)) {
    const valid = validText(own(texts, key), value);
    if (valid !== undefined) Object.defineProperty(merged, key, { value: valid, enumerable: true });
    else if (!cache.has(custom)) warnInvalid(key, value, own(texts, key));
  }
  cache.set(custom, (cache.get(custom) ?? new WeakMap()).set(texts, merged));
  return merged;
}

const cache = new WeakMap<object, WeakMap<Texts, Texts>>();

/** Returns the page's text in the form of the catalog's; undefined if it cannot replace it. */
function validText(original: unknown, value: unknown): unknown {
  if (typeof original === 'string') return typeof value === 'string' ? value : undefined;
  if (typeof original === 'function') {
    if (typeof value === 'string') return () => value;
    return typeof value === 'function' ? withFallback(value as TextFunction, original as TextFunction) : undefined;
  }
  if (!isObject(original) || !isObject(value) || !Object.values(value).every((word) => typeof word === 'string')) return undefined;
  return { ...original, ...value };
}

type TextFunction = (...args: unknown[]) => unknown;

/** Wraps a function of the page. If it throws or returns no string, the catalog's text is used. */
function withFallback(custom: TextFunction, original: TextFunction): TextFunction {
  return (...args) => {
    try {
      const result = custom(...args);
      if (typeof result === 'string') return result;
    } catch {}
    return original(...args);
  };
}

function warnInvalid(key: string, value: unknown, original: unknown): void {
  const expected = original === undefined ? 'the name of a text' : `a ${typeof original}`;
  // eslint-disable-next-line no-console -- for the developer of the page, like every invalid option
  console.warn(`[tool-chat] Invalid texts.${key} (${typeof value}). Expected ${expected}. ${OPTIONS_LINK}`);
}
