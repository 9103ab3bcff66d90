/** Texts a person can start from, beside the sections of the prompt in `promptTemplates` (S4-45): `composer: [{label, text}]`. */
import { isObject, own } from '../objects.js';
import type { PromptSections } from './settings.js';

export interface ComposerTemplate {
  label: string;
  /** `{name}` is a place to fill. */
  text: string;
}

/** Sections by protocol id, and under `composer` a list for the people who write. */
export type PromptTemplates = Readonly<Record<string, PromptSections | readonly ComposerTemplate[]>>;

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
