/** The texts of the lazily loaded parts: those of the conversation, else English. */
import { fullEnglish, type Texts } from '../i18n/en.js';
import type { MarkdownContext } from './render-context.js';

fullEnglish();

export const textsFor = ({ options }: MarkdownContext): Texts => options.texts ?? fullEnglish();
