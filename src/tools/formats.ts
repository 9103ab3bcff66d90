/** The formats of JSON Schema. An unknown format accepts every text. */
import { format as known } from '@cfworker/json-schema';
import { own } from '../base/objects.js';

/** Maximum length of a text with one of the other formats; all valid texts are shorter. */
const LONGEST = 1_000;

/** Formats without a maximum length; their patterns run in linear time. */
const LONG = new Set(['uri', 'uri-reference', 'uri-template', 'url', 'json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer']);

export function isFormat(name: string, text: string): boolean {
  if (name === 'url') return isUrl(text);
  const test = own(known, name) as ((text: string) => boolean) | undefined;
  return !test || ((text.length <= LONGEST || LONG.has(name)) && test(text));
}

/** Checks for an address of the public web. The library's pattern would backtrack without limit over a host name. */
function isUrl(text: string): boolean {
  if (!/^(?:https?|ftp):\/\/[^\s/]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) return false;
  const { hostname } = new URL(text);
  if (/^\d+(?:\.\d+){3}$/.test(hostname)) return !PRIVATE.test(hostname);
  return /\.[^\d.][^.]+$/.test(hostname);
}
const PRIVATE = /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|22[4-9]|2[3-5]\d)\./;
