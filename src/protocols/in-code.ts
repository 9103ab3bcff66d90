import { createCodeSpans } from './code-spans.js';

/** True if the `<` at this place is in code, or may be. */
export function isInCode(text: string, at: number): boolean {
  const code = createCodeSpans('<', () => undefined);
  let index = code.next(text, 0, false);
  while (index < at) index = code.next(text, index, true);
  return index !== at || code.doubt('<') === 'indented';
}

/** Whether the tokens that the text ends in are a part of it: code, or the end of `<s>`. */
export function isPartOfText(text: string, tokens: string): boolean {
  const opens = tokens.startsWith('</s>') && text.lastIndexOf('<s>') > text.lastIndexOf('</s>');
  return opens || isInCode(text + tokens, text.length);
}
