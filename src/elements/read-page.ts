/** What `privateValues` finds by a selector: the values of fields, and texts by themselves and together. */
export const readPage = (selector: string): string[] =>
  [...document.querySelectorAll<HTMLInputElement>(selector)].flatMap(({ value, textContent, children }) => [
    ...(typeof value === 'string' ? [value] : []),
    textContent,
    ...[...children].map((child) => child.textContent),
  ]);
