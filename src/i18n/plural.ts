/** Counted things in the forms of a language. */

/** `other` stands for each form that the language does not tell apart here; `#` for the number. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** @param lang BCP 47 */
export function pluralOf(lang: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(lang);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', String(count));
}
