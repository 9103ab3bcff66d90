/** The texts of the lazily loaded parts: those of the conversation, else English. */
import { wholeEnglish, type Texts } from '../i18n/en.js';
import type { MarkdownContext } from './render-context.js';

wholeEnglish();

export const wordsFor = ({ options }: MarkdownContext): Texts => options.texts ?? wholeEnglish();
