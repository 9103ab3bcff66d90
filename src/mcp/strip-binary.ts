/** Removes base64 data from what a server sends: it says nothing to a model and would fill its context. */
import { isObject } from '../base/objects.js';

/** Base64 of this length is replaced anywhere. Words, ids and cursors are shorter. */
const LONG = 2000;
/** Base64 of this length is replaced if a media type is given with it. */
const SHORT = 64;
const DEPTH = 40;
const TYPE_KEYS = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'content_type'];

/** Returns the data with a short note in place of each base64 text. */
export function stripBinary(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return inText(value);
  if (depth > DEPTH) return '…';
  if (Array.isArray(value)) return value.map((one) => stripBinary(one, depth + 1));
  if (!isObject(value)) return value;
  const type = TYPE_KEYS.map((key) => (Object.hasOwn(value, key) ? value[key] : undefined)).find((one) => typeof one === 'string');
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (typeof one === 'string' && isBinary(type) && one.length >= SHORT && isBase64(one)) return [key, note(String(type), one.length)];
      return [key, stripBinary(one, depth + 1)];
    }),
  );
}

const isBinary = (type: unknown): boolean => typeof type === 'string' && !/^text\/|json|xml|yaml|javascript/i.test(type);

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);

function inText(text: string): string {
  if (text.length < SHORT) return text;
  const short = text.replace(
    /data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,60}){0,3};base64,([A-Za-z0-9+/_=%-]*)/gi,
    (_, type: string, bytes: string) => note(type, bytes.length),
  );
  return short.length < LONG
    ? short
    : short.replace(/[A-Za-z0-9+/_-]+={0,2}/g, (word) => (word.length < LONG ? word : note('base64', word.length)));
}

const note = (type: string, characters: number): string => `[${type}, ${String(Math.ceil((characters * 3) / 4 / 1024))} KB]`;
