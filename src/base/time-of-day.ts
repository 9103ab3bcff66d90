/** Formats by language. They are cached, because creating one takes as long as drawing a short message. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns hours and minutes in the format of this language; '' is the browser's language. */
export function timeOfDay(at: number, lang: string): string {
  let format = formats.get(lang);
  if (!format) formats.set(lang, (format = new Intl.DateTimeFormat(lang || undefined, { hour: 'numeric', minute: '2-digit' })));
  return format.format(at);
}
