/** The values that a schema offers as choices, with their titles: `oneOf` or `anyOf` of constants, `enum`, `enumNames`. */
import { isObject, own } from '../base/objects.js';

export interface Choice {
  value: unknown;
  title: string;
}

const CHOICES = 500;

/** Returns the choices of a schema, or undefined if it does not limit the value to a list. */
export function choicesOf(schema: unknown): Choice[] | undefined {
  const [oneOf, anyOf, values, names] = ['oneOf', 'anyOf', 'enum', 'enumNames'].map((key) => own(schema, key));
  const constants = [oneOf, anyOf].find((list) => Array.isArray(list) && list.every((one) => isObject(one) && Object.hasOwn(one, 'const')));
  const listed: Choice[] = Array.isArray(constants)
    ? constants.map((one) => ({ value: own(one, 'const'), title: wordsOf(own(one, 'title'), own(one, 'const')) }))
    : Array.isArray(values)
      ? values.map((value, at) => ({ value: value as unknown, title: wordsOf(own(names, String(at)), value) }))
      : [];
  const choices = listed.filter(({ value }) => ['string', 'number', 'boolean'].includes(typeof value)).slice(0, CHOICES);
  return choices.length > 0 ? choices : undefined;
}

const wordsOf = (title: unknown, value: unknown): string => (typeof title === 'string' && title.trim() ? title : String(value));
