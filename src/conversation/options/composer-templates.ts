/** Message templates for the user, next to the prompt sections in `promptTemplates`: `composer: [{label, text}]`. */
import { isObject, own } from '../../base/objects.js';
import type { PromptTemplates } from './option-shapes.js';
import type { ComposerTemplate } from './option-shapes.js';
import type { PromptSections } from './option-shapes.js';

/** Returns the prompt sections by protocol id. Lists are templates for the user, so they are left out. */
export const sectionTemplates = (templates: PromptTemplates): Readonly<Record<string, PromptSections>> =>
  Object.fromEntries(Object.entries(templates).filter((entry): entry is [string, PromptSections] => !Array.isArray(entry[1])));

/** Returns the message templates. Invalid entries are left out. */
export function composerTemplates(templates: unknown): readonly ComposerTemplate[] {
  const list: unknown = isObject(templates) ? own(templates, 'composer') : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const { label, text } = isObject(entry) ? entry : {};
    return typeof label === 'string' && typeof text === 'string' && label && text ? { label, text } : [];
  });
}
