import { createMarkdownContext } from './markdown-context.js';

/** Checks whether the `<` at this position is in code, or may be. */
export function isInCode(text: string, at: number): boolean {
  const code = createMarkdownContext('<', () => undefined);
  let index = code.next(text, 0, false);
  while (index < at) index = code.next(text, index, true);
  return index !== at || code.doubt('<') === 'indented';
}

/** Checks whether the tokens that would end the text are part of it: in code, or the end of `<s>`. */
export function isPartOfText(text: string, tokens: string): boolean {
  const opens = tokens.startsWith('</s>') && text.lastIndexOf('<s>') > text.lastIndexOf('</s>');
  return opens || isInCode(text + tokens, text.length);
}
