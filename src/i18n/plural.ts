/** Writes a count with the correct plural form of a language. */

/** The plural forms. `other` is used for each form that is not listed; `#` is replaced with the number. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** @param lang BCP 47 */
export function pluralOf(lang: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(lang);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', String(count));
}
