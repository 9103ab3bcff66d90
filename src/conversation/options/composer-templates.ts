/** Texts a person can start from, beside the sections of the prompt in `promptTemplates`: `composer: [{label, text}]`. */
import { isObject, own } from '../../base/objects.js';
import type { PromptTemplates } from './option-shapes.js';
import type { ComposerTemplate } from './option-shapes.js';
import type { PromptSections } from './option-shapes.js';

/** What is a list is no section. */
export const sectionTemplates = (templates: PromptTemplates): Readonly<Record<string, PromptSections>> =>
  Object.fromEntries(Object.entries(templates).filter((entry): entry is [string, PromptSections] => !Array.isArray(entry[1])));

/** Entries that are not a template are left out. */
export function composerTemplates(templates: unknown): readonly ComposerTemplate[] {
  const list: unknown = isObject(templates) ? own(templates, 'composer') : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { label, text } = isObject(entry) ? entry : {};
    return typeof label === 'string' && typeof text === 'string' && label && text ? { label, text } : [];
  });
}
