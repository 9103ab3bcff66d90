/** The things that the sentence of a call is about, and which of its arguments are ids. */

/** Text in quotation marks. Bounded, because the text may be anything. */
export const OBJECTS = /“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|「[^「」]{1,200}」|『[^『』]{1,200}』|"[^"]{1,200}"/g;

/** The objects that a sentence names. */
export const objectsIn = (sentence: string): string[] => [...sentence.matchAll(OBJECTS)].map(([object]) => object.slice(1, -1));

export const isId = (name: string): boolean => /(?:^|_|-)(?:id|uuid)$/i.test(name) || /[a-z](?:Id|ID|Uuid)$/.test(name);

export const isPlainId = (text: string): boolean => /^[\w:.-]{1,64}$/.test(text) && !/^(?:all|any|every|none)$/i.test(text);

export const isListOfIds = (name: string, value: unknown): boolean =>
  /(?:^|_|-)(?:ids|uuids)$/i.test(name) || /[a-z](?:Ids|IDs|Uuids)$/.test(name)
    ? Array.isArray(value) && value.every((id) => typeof id === 'string' && isPlainId(id))
    : false;
