/** By language: to make one takes as long as to draw a short message. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Hours and minutes, as they are written in this language; '' is the browser's. */
export function timeOfDay(at: number, lang: string): string {
  let format = formats.get(lang);
  if (!format) formats.set(lang, (format = new Intl.DateTimeFormat(lang || undefined, { hour: 'numeric', minute: '2-digit' })));
  return format.format(at);
}
