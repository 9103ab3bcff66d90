/**
 * Returns the texts that a selector of `privateValues` finds: values of fields, and the text of each element and of each of its children.
 */
export const readPage = (selector: string): string[] =>
  [...document.querySelectorAll<HTMLInputElement>(selector)].flatMap(({ value, textContent, children }) => [
    ...(typeof value === 'string' ? [value] : []),
    textContent,
    ...[...children].map((child) => child.textContent),
  ]);
