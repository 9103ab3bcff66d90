/** The quoted objects in the sentence of a call, and which of its arguments are ids. */

/** Matches text in quotation marks. The length is bounded because the text may be anything. */
export const OBJECTS = /“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|「[^「」]{1,200}」|『[^『』]{1,200}』|"[^"]{1,200}"/g;

/** Returns a match without its quotation marks, and without the unbreakable spaces that French writes inside them. */
export const unquoted = (object: string): string => object.slice(1, -1).replace(/^[\u00A0\u202F]|[\u00A0\u202F]$/g, '');

/** Returns the objects that a sentence names in quotation marks. */
export const objectsIn = (sentence: string): string[] => [...sentence.matchAll(OBJECTS)].map(([object]) => unquoted(object));

export const isId = (name: string): boolean => /(?:^|_|-)(?:id|uuid)$/i.test(name) || /[a-z](?:Id|ID|Uuid)$/.test(name);

export const isPlainId = (text: string): boolean => /^[\w:.-]{1,64}$/.test(text) && !/^(?:all|any|every|none)$/i.test(text);

export const isListOfIds = (name: string, value: unknown): boolean =>
  /(?:^|_|-)(?:ids|uuids)$/i.test(name) || /[a-z](?:Ids|IDs|Uuids)$/.test(name)
    ? Array.isArray(value) && value.every((id) => typeof id === 'string' && isPlainId(id))
    : false;
